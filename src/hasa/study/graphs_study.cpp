#include "hasa/study/graphs_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "hasa/base/error.h"
#include "hasa/kg/neighbours.h"
#include "hasa/page/number.h"
#include "hasa/study/paper_figures.h"

namespace hasa {
namespace {

std::vector<Triple> all_triples(const Graph& graph) {
  std::vector<Triple> all;
  for (const Split split : {Split::train, Split::valid, Split::test}) {
    const auto triples = graph.triples(split);
    all.insert(all.end(), triples.begin(), triples.end());
  }
  return all;
}

struct NamedDegree {
  const char* name;
  double AverageDegrees::* value;
};
constexpr std::array kDegrees = {NamedDegree{"linked entities, training", &AverageDegrees::linked},
                                 NamedDegree{"linked entities, all splits", &AverageDegrees::linked_in_all},
                                 NamedDegree{"triples at either end, training", &AverageDegrees::triples},
                                 NamedDegree{"triples at either end, all splits", &AverageDegrees::triples_in_all}};

PageTable sizes_table(const std::vector<CountedGraph>& graphs) {
  PageTable table{
      "The graphs beside the paper's Table 1",
      {{"", false}, {"entities", true}, {"relations", true}, {"train", true}, {"valid", true}, {"test", true}},
      {}};
  for (const NamedDegree& each : kDegrees) table.columns.push_back({each.name, true, "average degree, so counted"});
  table.columns.push_back({"average degree in the paper", true});
  const auto whole = [](double value) { return TableCell{format_whole(std::llround(value)), value}; };
  for (const CountedGraph& each : graphs) {
    TableRow row{{{each.graph},
                  whole(static_cast<double>(each.entities)),
                  whole(static_cast<double>(each.relations)),
                  whole(static_cast<double>(each.train)),
                  whole(static_cast<double>(each.valid)),
                  whole(static_cast<double>(each.test))}};
    for (const NamedDegree& degree : kDegrees) {
      const double value = each.degrees.*degree.value;
      row.cells.emplace_back(fmt::format("{:.1f}", value), value);
    }
    const auto paper = paper_graph(each.graph);
    row.cells.push_back(paper ? TableCell{fmt::format("{:g}", paper->degree), paper->degree} : TableCell{"–"});
    table.rows.push_back(std::move(row));
    if (!paper) continue;
    table.rows.push_back({{{"the paper's " + each.graph},
                           whole(paper->entities),
                           whole(paper->relations),
                           whole(paper->train),
                           whole(paper->valid),
                           whole(paper->test),
                           {"–"},
                           {"–"},
                           {"–"},
                           {"–"},
                           {fmt::format("{:g}", paper->degree), paper->degree}}});
  }
  return table;
}

/// The share of entities that are linked to at least so many others.
XyChart degrees_chart(const std::vector<CountedGraph>& graphs) {
  XyChart chart{
      .text = {"degrees", "How many others an entity is linked to",
               "For each graph the share of its entities that are linked to at least so many others in training"},
      .x = {.label = "linked entities, at least", .logarithmic = true},
      .y = {.label = "share of the entities", .logarithmic = true},
      .series = {},
      .levels = {}};
  for (const CountedGraph& graph : graphs) {
    ChartSeries series{graph.graph, {}};
    std::int64_t left = graph.entities;
    double next = 1;
    for (std::size_t degree = 0; degree < graph.of_degree.size(); ++degree) {
      // A point for each small degree, then for each that is a tenth larger than the one before.
      const auto at = static_cast<double>(degree);
      if (degree > 0 && at >= next) {
        series.points.push_back({at, static_cast<double>(left) / static_cast<double>(graph.entities)});
        next = std::max(at + 1, 1.1 * at);
      }
      left -= graph.of_degree[degree];
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

StudyFile degrees_csv(const std::vector<CountedGraph>& graphs) {
  std::vector<std::vector<std::string>> rows;
  for (const CountedGraph& graph : graphs) {
    for (std::size_t degree = 0; degree < graph.of_degree.size(); ++degree) {
      if (graph.of_degree[degree] > 0)
        rows.push_back({graph.graph, std::to_string(degree), std::to_string(graph.of_degree[degree])});
    }
  }
  return {"degrees.csv", to_csv({"graph", "linked_entities", "entities"}, rows)};
}

StudyResult run_graphs(const GraphsConfig&, StudyContext& context) {
  std::vector<CountedGraph> graphs;
  for (const StudyGraph& graph : context.graphs()) graphs.push_back(count_graph(graph.open(), graph.name));
  return graphs_result(graphs);
}

}  // namespace

AverageDegrees average_degrees(const Graph& graph) {
  const std::vector<Triple> all = all_triples(graph);
  const auto entities = static_cast<double>(std::max<EntityId>(1, graph.entities()));
  const auto linked = [&](const Adjacency& adjacency) {
    return static_cast<double>(Neighbours(adjacency).num_ends()) / entities;
  };
  return {.linked = linked(Adjacency(graph)),
          .linked_in_all = linked(Adjacency(all, graph.entities(), graph.relations())),
          .triples = 2 * static_cast<double>(graph.triples(Split::train).size()) / entities,
          .triples_in_all = 2 * static_cast<double>(all.size()) / entities};
}

CountedGraph count_graph(const Graph& graph, const std::string& name) {
  CountedGraph counted{.graph = name,
                       .entities = graph.entities(),
                       .relations = graph.relations(),
                       .train = std::ssize(graph.triples(Split::train)),
                       .valid = std::ssize(graph.triples(Split::valid)),
                       .test = std::ssize(graph.triples(Split::test)),
                       .degrees = average_degrees(graph),
                       .of_degree = {}};
  const Neighbours neighbours{Adjacency(graph)};
  for (EntityId entity = 0; entity < graph.entities(); ++entity) {
    const std::size_t degree = neighbours.degree(entity);
    if (degree >= counted.of_degree.size()) counted.of_degree.resize(degree + 1);
    ++counted.of_degree[degree];
  }
  return counted;
}

Verdict judge_degree(const CountedGraph& counted) {
  const auto paper = paper_graph(counted.graph);
  HASA_CHECK(paper.has_value(), data, "the paper does not say how dense {} is", counted.graph);
  std::vector<std::string> ways;
  bool one_fits = false;
  for (const NamedDegree& each : kDegrees) {
    const double value = counted.degrees.*each.value;
    ways.push_back(fmt::format("{:.1f} ({})", value, each.name));
    // As many digits as the paper prints.
    one_fits = one_fits || std::abs(value - paper->degree) <= (paper->degree < 10 ? 0.05 : 0.5) + 1e-9;
  }
  return {10, one_fits ? Agreement::agrees : Agreement::disagrees,
          fmt::format("On {} the average degree is {}; the paper's {:g} is {}.", counted.graph, fmt::join(ways, ", "),
                      paper->degree, one_fits ? "one of these" : "none of these")};
}

StudyResult graphs_result(const std::vector<CountedGraph>& graphs) {
  const PageTable sizes = sizes_table(graphs);
  StudyResult result{
      .title = "The graphs",
      .summary =
          "Counted, not trained. Degrees are those of the undirected graph; linked entities are "
          "counted once however many triples link them.",
      .verdicts = {},
      .figures = {{degrees_chart(graphs), "of the training triples, directions and copies merged", sizes}},
      .tables = {sizes},
      .files = {degrees_csv(graphs)}};
  for (const CountedGraph& each : graphs) {
    if (paper_graph(each.graph)) result.verdicts.push_back(judge_degree(each));
  }
  return result;
}

Study graphs_study() {
  return make_study<GraphsConfig>("graphs", "how large and how dense the graphs are (the paper's Table 1)", run_graphs);
}

}  // namespace hasa
