#include "hasa/study/embeddings_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/families/frozen/frozen_family.h"
#include "hasa/job/trained_run.h"
#include "hasa/page/number.h"
#include "hasa/page/page.h"

namespace hasa {
namespace {

using MapJson = nlohmann::ordered_json;

std::vector<std::string> paper_queries(const std::string& graph) {
  if (graph == "WN18RR") return {"08524735 | reverse of instance hypernym", "06845599 | member of domain usage"};
  if (graph == "FB15k-237") return {"/m/06by7 | music genre artists", "/m/02bjrlw | reverse of film film language"};
  return {};
}

std::string query_words(const Query& query, const Graph& graph) {
  return fmt::format("{}, {}", graph.entity_name(query.given), graph.relation_text(query.relation));
}

MapJson json_of(const Separation& each) { return {each.mean, each.positive, each.negative}; }
Separation separation_from(const MapJson& json) {
  return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
}

MapJson json_of(const TailMap& map) {
  MapJson json{{"query", map.query},
               {"embedded", json_of(map.embedded)},
               {"drawn", json_of(map.drawn)},
               {"before_training", map.before_training ? json_of(*map.before_training) : MapJson()},
               {"p_value", map.p_value},
               {"neighbours_kept", map.neighbours_kept},
               {"objective", {map.objective_before, map.objective_after}},
               {"points", MapJson::array()}};
  for (const TailMap::Point& point : map.points)
    json["points"].push_back({point.name, point.positive, point.place.x, point.place.y, point.silhouette});
  return json;
}

TailMap map_from(const MapJson& json) {
  TailMap map;
  map.query = json.at("query").get<std::string>();
  map.embedded = separation_from(json.at("embedded"));
  map.drawn = separation_from(json.at("drawn"));
  if (!json.at("before_training").is_null()) map.before_training = separation_from(json.at("before_training"));
  map.p_value = json.at("p_value").get<double>();
  map.neighbours_kept = json.at("neighbours_kept").get<double>();
  map.objective_before = json.at("objective")[0].get<double>();
  map.objective_after = json.at("objective")[1].get<double>();
  for (const MapJson& each : json.at("points"))
    map.points.push_back({each[0].get<std::string>(), each[1].get<bool>(),
                          {each[2].get<double>(), each[3].get<double>()}, each[4].get<double>()});
  return map;
}

/// Rows of a matrix, answers first.
std::vector<float> rows_of(const torch::Tensor& matrix, const QueryTails& tails) {
  const torch::Tensor on_cpu = matrix.to(torch::kCPU, torch::kFloat32).contiguous();
  const float* values = on_cpu.const_data_ptr<float>();
  std::vector<float> rows;
  for (const auto* group : {&tails.positive, &tails.negative}) {
    for (const EntityId entity : *group)
      rows.insert(rows.end(), values + entity * on_cpu.size(1), values + (entity + 1) * on_cpu.size(1));
  }
  return rows;
}

struct DrawnRun {
  std::string graph;
  std::filesystem::path folder;
};

GraphMaps maps_of(const EmbeddingsStudyConfig& config, StudyContext& context, const DrawnRun& drawn) {
  const Run run = Run::open(drawn.folder);
  const TrainedRun opened = open_trained(run, /*graph_folder=*/"", context.settings().device);
  const auto* scorer = dynamic_cast<const VectorScorer*>(opened.scorer.get());
  HASA_CHECK(scorer != nullptr, config, "{} has no vector for each entity, so there is nothing to draw",
             drawn.folder.string());
  const Graph& graph = *opened.graph;
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const std::vector<std::string> texts = config.queries.empty() ? paper_queries(drawn.graph) : config.queries;
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(parse_query(text, graph));
  if (queries.empty()) queries = most_answered(graph, known, 4);
  const std::optional<TextEmbeddings> before =
      std::filesystem::exists(run / Run::kTexts) ? std::optional(run_texts(run)) : std::nullopt;

  GraphMaps maps{drawn.graph, facts_of(config_of(run)).name, {}};
  for (std::size_t number = 0; number < queries.size(); ++number) {
    const Query& query = queries[number];
    TsneConfig tsne = config.tsne;
    const MapJson made_from{{"graph", StudyContext::fingerprint(graph)},
                            {"run", read_file(run / "run.json")},
                            {"query", {query.given, query.relation}},
                            {"negatives", config.negatives},
                            {"most", config.most},
                            {"tsne", to_yaml(fields_of(tsne))}};
    const auto compute = [&] {
      const QueryTails tails = draw_tails(graph, known, query, static_cast<std::size_t>(config.negatives),
                                          static_cast<std::size_t>(config.most), config.tsne.seed);
      const std::size_t count = tails.positive.size() + tails.negative.size();
      const auto of = [&](const std::vector<float>& rows) { return PointSet{rows, count, rows.size() / count}; };
      const std::vector<float> after_rows = rows_of(scorer->entities(), tails);
      const std::vector<float> before_rows = before ? rows_of(before->entities, tails) : std::vector<float>();
      const PointSet points = of(after_rows), points_before = of(before_rows);
      TailMap map = map_tails(points, before ? &points_before : nullptr, tails.positive.size(), config.tsne);
      map.query = query_words(query, graph);
      std::size_t place = 0;
      for (const auto* group : {&tails.positive, &tails.negative}) {
        for (const EntityId entity : *group) map.points[place++].name = graph.entity_name(entity);
      }
      return json_of(map);
    };
    maps.maps.push_back(map_from(context.piece(fmt::format("map-{}-{}", drawn.graph, number + 1), made_from, compute)));
  }
  return maps;
}

StudyResult run_embeddings_study(const EmbeddingsStudyConfig& config, StudyContext& context) {
  std::vector<DrawnRun> runs;
  if (!config.run.empty()) {
    const std::string graph = config_of(Run::open(config.run)).graph;
    runs.push_back({std::filesystem::path(graph).lexically_normal().filename().string(), config.run});
  } else {
    for (const StudyGraph& graph : context.graphs())
      runs.push_back({graph.name, context.train(graph.name + "-HaSa-embeddings",
                                                run_config_of(config.recipe, graph, /*seed=*/1)).folder});
  }
  std::vector<GraphMaps> graphs;
  for (const DrawnRun& run : runs) graphs.push_back(maps_of(config, context, run));
  return embeddings_result(graphs);
}

XyChart chart_of(const TailMap& map, const std::string& id) {
  XyChart chart{.text = {id, map.query,
                         "Known answers of the query and other entities, each a point, brought to the plane by t-SNE"},
                .x = {.label = "t-SNE, first axis"},
                .y = {.label = "t-SNE, second axis"},
                .series = {{"known answers", {}}, {"other entities", {}}},
                .levels = {},
                .joined = false};
  for (const TailMap::Point& point : map.points)
    chart.series[point.positive ? 0 : 1].points.push_back({point.place.x, point.place.y, std::nullopt, point.name});
  return chart;
}

PageTable points_table(const TailMap& map) {
  PageTable table{map.query,
                  {{"entity", false},
                   {"kind", false},
                   {"silhouette", true, "among the embeddings: 1 deep in its group, below 0 nearer to the other"}},
                  {}};
  for (const TailMap::Point& point : map.points)
    table.rows.push_back({{{point.name},
                           {point.positive ? "known answer" : "other"},
                           {fmt::format("{:.3f}", point.silhouette), point.silhouette}}});
  return table;
}

std::string figure_remark(const TailMap& map) {
  std::size_t positive = 0;
  for (const TailMap::Point& point : map.points) positive += point.positive ? 1 : 0;
  return fmt::format(
      "{} known answers, {} others; silhouette {:.2f} among the embeddings (answers {:.2f}, others {:.2f}), {:.2f} in "
      "the picture, which keeps {:.0f}% of ten neighbours",
      positive, map.points.size() - positive, map.embedded.mean, map.embedded.positive, map.embedded.negative,
      map.drawn.mean, 100 * map.neighbours_kept);
}

PageTable separation_table(const GraphMaps& graph) {
  PageTable table{"Separation on " + graph.graph,
                  {{"query", false},
                   {"silhouette", true, "mean, by distances of the embeddings"},
                   {"of answers", true},
                   {"of others", true},
                   {"p", true, "share of random relabellings that separate as well"},
                   {"before training", true, "of the language model's own embeddings"},
                   {"in the picture", true},
                   {"neighbours kept", true, "of ten, in the picture"},
                   {"KL before", true, "t-SNE's objective"},
                   {"KL after", true}},
                  {}};
  const auto cell = [](double value) { return TableCell(fmt::format("{:.3f}", value), value); };
  for (const TailMap& map : graph.maps)
    table.rows.push_back({{{map.query},
                           cell(map.embedded.mean),
                           cell(map.embedded.positive),
                           cell(map.embedded.negative),
                           cell(map.p_value),
                           map.before_training ? cell(map.before_training->mean) : TableCell("–"),
                           cell(map.drawn.mean),
                           cell(map.neighbours_kept),
                           cell(map.objective_before),
                           cell(map.objective_after)}});
  return table;
}

double mean_separation(const GraphMaps& graph) {
  double sum = 0;
  for (const TailMap& map : graph.maps) sum += map.embedded.mean;
  return sum / static_cast<double>(std::max<std::size_t>(1, graph.maps.size()));
}

const GraphMaps* find_graph(const std::vector<GraphMaps>& graphs, const char* name) {
  const auto found = std::ranges::find(graphs, name, &GraphMaps::graph);
  return found == graphs.end() ? nullptr : &*found;
}

/// Answers lie together, the others lie together, and WN18RR's are further apart than FB15k-237's.
Verdict separation_verdict(const std::vector<GraphMaps>& graphs) {
  std::vector<Agreement> findings;
  std::string sentence;
  const auto finding = [&](bool holds) { findings.push_back(holds ? Agreement::agrees : Agreement::disagrees); };
  for (const GraphMaps& graph : graphs) {
    std::size_t together = 0, others_together = 0;
    for (const TailMap& map : graph.maps) {
      together += map.embedded.positive > 0 && map.p_value < 0.05 ? 1 : 0;
      others_together += map.embedded.negative > 0 ? 1 : 0;
    }
    finding(together == graph.maps.size());
    finding(others_together == graph.maps.size());
    sentence += fmt::format(
        "{}On {}, the answers of {} of {} queries lie closer to each other than to the others (silhouette above 0, "
        "p < .05), and the others do so around {} of them; the mean silhouette is {:.2f}.",
        sentence.empty() ? "" : " ", graph.graph, together, graph.maps.size(), others_together, mean_separation(graph));
  }
  const GraphMaps *wordnet = find_graph(graphs, "WN18RR"), *freebase = find_graph(graphs, "FB15k-237");
  if (wordnet != nullptr && freebase != nullptr) {
    finding(mean_separation(*wordnet) > mean_separation(*freebase));
    sentence += fmt::format(" WN18RR's are {} apart than FB15k-237's.",
                            findings.back() == Agreement::agrees ? "further" : "no further");
  }
  return {11, overall(findings), sentence};
}

/// Names found as they are typed: marks of others turn faint.
constexpr const char* kFindScript = R"js(<script>"use strict"; {
const find = document.getElementById("find"), found = document.getElementById("found");
const marks = [...document.querySelectorAll("svg.chart .mark")].map((mark) => ({ mark, words: (mark.querySelector("title")?.textContent ?? "").toLowerCase() }));
find.addEventListener("input", () => {
  const wanted = find.value.trim().toLowerCase();
  let count = 0;
  for (const { mark, words } of marks) {
    const hit = wanted !== "" && words.includes(wanted);
    count += hit ? 1 : 0;
    mark.style.opacity = wanted === "" || hit ? "" : ".12";
    if (hit) mark.parentNode.append(mark);
  }
  found.textContent = wanted === "" ? "" : `${count} of ${marks.length}`;
});
}</script>
)js";

}  // namespace

EmbeddingsStudyConfig EmbeddingsStudyConfig::of(StudySize size) {
  EmbeddingsStudyConfig config;
  const std::vector<std::string> loss{"loss.kind=hasa", "loss.beta=0.1", "loss.tau=1e-3"};
  switch (size) {
    case StudySize::tiny:
      config.recipe.set = {"model.dim=16", "model.context_layers=0", "optimiser.lr=5e-3", "train.epochs=1",
                           "train.batch=256"};
      config.negatives = 30;
      config.most = 40;
      config.tsne.iterations = 60;
      config.tsne.perplexity = 8;
      break;
    case StudySize::quick:
      config.recipe.set = {"model.dim=64", "model.context_layers=0", "optimiser.lr=4e-3", "train.epochs=4",
                           "train.batch=256"};
      config.most = 250;
      config.tsne.iterations = 500;
      break;
    case StudySize::full:
      config.recipe.config = "configs/{graph}_study-losses.yaml";
      break;
  }
  config.recipe.set.insert(config.recipe.set.end(), loss.begin(), loss.end());
  return config;
}

StudyResult embeddings_result(const std::vector<GraphMaps>& graphs) {
  StudyResult result{.title = "Embeddings of a query's tails", .summary = {}, .verdicts = {}, .figures = {},
                     .tables = {}, .files = {}};
  std::vector<std::string> parts;
  for (const GraphMaps& graph : graphs) {
    for (std::size_t number = 0; number < graph.maps.size(); ++number) {
      const TailMap& map = graph.maps[number];
      const std::string id = fmt::format("embeddings-{}-{}", graph.graph, number + 1);
      const PageTable table = points_table(map);
      result.figures.push_back({chart_of(map, id), figure_remark(map), table});
      std::vector<std::vector<std::string>> lines;
      for (const TailMap::Point& point : map.points)
        lines.push_back({point.name, point.positive ? "answer" : "other", fmt::format("{:.6g}", point.place.x),
                         fmt::format("{:.6g}", point.place.y), fmt::format("{:.6g}", point.silhouette)});
      result.files.push_back({id + ".csv", to_csv({"entity", "kind", "x", "y", "silhouette"}, lines)});
    }
    result.tables.push_back(separation_table(graph));
    parts.push_back(fmt::format("{}: {}", graph.graph, graph.model));
  }
  result.files.push_back({"embeddings.html", embeddings_page(graphs)});
  result.summary = fmt::format(
      "Barnes-Hut t-SNE of the answers of a query and of entities drawn from all others; the separation is measured "
      "among the embeddings, not in the picture. {}.",
      fmt::join(parts, "; "));
  result.verdicts.push_back(separation_verdict(graphs));
  for (const GraphMaps& graph : graphs) result.graphs.push_back(graph.graph);
  return result;
}

std::string embeddings_page(const std::vector<GraphMaps>& graphs) {
  Page page("Embeddings of a query's tails", "Point at a sign to read its name, or type a part of one.");
  Section search;
  search.markup(
      "<p><label>Find <input id=\"find\" type=\"search\" autocomplete=\"off\"></label> <span id=\"found\" "
      "role=\"status\" class=\"muted\"></span></p>");
  page.add(search);
  for (const GraphMaps& graph : graphs) {
    Section section(graph.graph);
    section.remark(graph.model);
    for (std::size_t number = 0; number < graph.maps.size(); ++number)
      section.figure(chart_of(graph.maps[number], fmt::format("{}-{}", graph.graph, number + 1)),
                     figure_remark(graph.maps[number]), points_table(graph.maps[number]));
    section.table(separation_table(graph));
    page.add(section);
  }
  return page.add(Section().markup(kFindScript)).html();
}

Study embeddings_study() {
  return make_study<EmbeddingsStudyConfig>("embeddings", "where a query's answers and other entities lie, by t-SNE",
                                           run_embeddings_study);
}

}  // namespace hasa
