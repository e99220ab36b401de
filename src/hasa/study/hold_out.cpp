#include "hasa/study/hold_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"
#include "hasa/kg/read/graph_gatherer.h"
#include "hasa/page/number.h"
#include "hasa/study/shared_texts.h"

namespace hasa {

namespace {

/// Distinct, by rising id.
std::vector<Triple> missing_triples(const Graph& graph, double share, std::uint64_t seed) {
  HASA_CHECK(share > 0 && share < 1, config, "the share of triples to hold out is {}, expected one between 0 and 1",
             share);
  const auto train = graph.triples(Split::train);
  std::vector<Triple> distinct(train.begin(), train.end());
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  Rng(seed, "hold out").shuffle(distinct);
  std::vector<Triple> missing(distinct.begin(),
                              distinct.begin() + std::llround(share * static_cast<double>(distinct.size())));
  std::ranges::sort(missing);
  return missing;
}

/// The parts of the graph without the missing triples in training.
GraphParts parts_without(const Graph& graph, const std::vector<Triple>& missing, const std::string& words) {
  GraphGatherer gatherer(graph);
  for (auto& split : gatherer.times) split.clear();
  GraphParts parts = gatherer.take_parts();
  parts.times = {};
  parts.triples[static_cast<std::size_t>(Split::train)].clear();
  for (const Triple& triple : graph.triples(Split::train)) {
    if (!std::ranges::binary_search(missing, triple))
      parts.triples[static_cast<std::size_t>(Split::train)].push_back(triple);
  }
  parts.found.source = fmt::format("{}, {}", graph.audit().source, words);
  return parts;
}

}  // namespace

Graph hold_out(const Graph& graph, double share, std::uint64_t seed) {
  std::vector<Triple> missing = missing_triples(graph, share, seed);
  GraphParts parts =
      parts_without(graph, missing, fmt::format("{:g}% of training held out, seed {}", 100 * share, seed));
  parts.triples[static_cast<std::size_t>(Split::test)] = std::move(missing);
  return Graph(std::move(parts));
}

Graph leave_out(const Graph& graph, double share, std::uint64_t seed) {
  return Graph(parts_without(graph, missing_triples(graph, share, seed),
                             fmt::format("{:g}% of training left out, seed {}", 100 * share, seed)));
}

HeldOutRun train_held_out(StudyContext& context, const StudyGraph& graph, const StudyRecipe& recipe, double share,
                          std::int64_t seed) {
  const auto number = static_cast<std::uint64_t>(seed);
  HeldOutRun result{.graph = context.derived_graph(fmt::format("{}-hold-out-{:g}-seed-{}", graph.name, share, seed),
                                                   [&] { return hold_out(graph.open(), share, number); }),
                    .folder = {},
                    .stamp = {},
                    .words = {}};
  RunConfig config = run_config_of(recipe, graph, number);
  share_texts(graph, result.graph, config, context);
  config.graph = result.graph.folder.string();
  const StudyRun run = context.train(result.graph.name, config);
  result.folder = run.folder;
  result.stamp = run.folder.filename().string();
  const std::string type = std::visit([](const auto& family) { return std::string(family.kTag); }, config.family);
  result.words = fmt::format("{}, {} epochs, best valid MRR {}", type, run.epochs, format_share(run.valid_mrr));
  return result;
}

StudyRecipe hold_out_recipe(StudySize size) {
  StudyRecipe recipe;
  recipe.set = {"model.context_layers=0"};
  switch (size) {
    case StudySize::tiny: recipe.set.insert(recipe.set.end(), {"model.dim=16", "train.epochs=2", "train.batch=64"}); break;
    case StudySize::quick: return quick_recipe({"train.epochs=4"});
    case StudySize::full: recipe.config = "configs/{graph}_frozen-minilm.yaml"; break;
  }
  return recipe;
}

}  // namespace hasa
