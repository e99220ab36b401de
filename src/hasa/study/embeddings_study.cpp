#include "hasa/study/embeddings_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/families/frozen/frozen_family.h"
#include "hasa/job/trained_run.h"

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

MapJson separation_json(const Separation& each) { return {each.mean, each.positive, each.negative}; }
Separation separation_from(const MapJson& json) {
  return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
}

MapJson map_json(const TailMap& map) {
  MapJson json{{"query", map.query},
               {"embedded", separation_json(map.embedded)},
               {"drawn", separation_json(map.drawn)},
               {"before_training", map.before_training ? separation_json(*map.before_training) : MapJson()},
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
    map.points.push_back({each[0].get<std::string>(),
                          each[1].get<bool>(),
                          {each[2].get<double>(), each[3].get<double>()},
                          each[4].get<double>()});
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
      return map_json(map);
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
      runs.push_back(
          {graph.name, context.train(graph.name + "-HaSa", run_config_of(config.recipe, graph, /*seed=*/1)).folder});
  }
  std::vector<GraphMaps> graphs;
  for (const DrawnRun& run : runs) graphs.push_back(maps_of(config, context, run));
  return embeddings_result(graphs);
}

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
      config.recipe = quick_recipe({"train.epochs=4"});
      config.most = 250;
      config.tsne.iterations = 500;
      break;
    case StudySize::full: config.recipe.config = "configs/{graph}_study-losses.yaml"; break;
  }
  config.recipe.set.insert(config.recipe.set.end(), loss.begin(), loss.end());
  return config;
}

Study embeddings_study() {
  return make_study<EmbeddingsStudyConfig>("embeddings", "where a query's answers and other entities lie, by t-SNE",
                                           run_embeddings_study);
}

}  // namespace hasa
