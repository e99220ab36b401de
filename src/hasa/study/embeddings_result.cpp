#include <fmt/format.h>

#include <algorithm>

#include "hasa/page/page.h"
#include "hasa/study/embeddings_study.h"

namespace hasa {
namespace {

XyChart map_chart(const TailMap& map, const std::string& id) {
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

StudyResult embeddings_result(const std::vector<GraphMaps>& graphs) {
  StudyResult result{.title = "Embeddings of a query's tails",
                     .summary = {},
                     .verdicts = {},
                     .figures = {},
                     .tables = {},
                     .files = {}};
  std::vector<std::string> parts;
  for (const GraphMaps& graph : graphs) {
    for (std::size_t number = 0; number < graph.maps.size(); ++number) {
      const TailMap& map = graph.maps[number];
      const std::string id = fmt::format("embeddings-{}-{}", graph.graph, number + 1);
      const PageTable table = points_table(map);
      result.figures.push_back({map_chart(map, id), figure_remark(map), table});
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
      section.figure(map_chart(graph.maps[number], fmt::format("{}-{}", graph.graph, number + 1)),
                     figure_remark(graph.maps[number]), points_table(graph.maps[number]));
    section.table(separation_table(graph));
    page.add(section);
  }
  return page.add(Section().markup(kFindScript)).html();
}

}  // namespace hasa
