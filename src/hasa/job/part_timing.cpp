#include "hasa/job/part_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <variant>

#include "hasa/base/stopwatch.h"
#include "hasa/eval/ranking.h"
#include "hasa/input/graph_tokens.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/score/top_entities.h"

namespace hasa {
namespace {

constexpr std::int64_t kDim = 500;
constexpr std::size_t kMiningBatch = 256;
constexpr std::int64_t kMined = 3;

/// Milliseconds of the fastest of `times` calls, after one to warm up.
double best_of(int times, const std::function<void()>& run) {
  run();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const Stopwatch watch;
    run();
    best = std::min(best, watch.seconds() * 1e3);
  }
  return best;
}

/// A product's throughput, and its fraction of the chip's bfloat16 matrix peak, if that is known.
std::string rate_of(double flops_per_millisecond, const torch::Device& device) {
  const double rate = flops_per_millisecond * 1e3;
  const std::string text = fmt::format("{:.1f} TFLOP/s", rate / 1e12);
  const auto peak = matrix_peak(device);
  return peak ? text + fmt::format(", {:.2f} of the bf16 peak", rate / *peak) : text;
}

class RandomScorer : public VectorScorer {
 public:
  RandomScorer(std::int64_t entities, const torch::Device& device)
      : entities_(torch::randn({entities, kDim}, device)) {}
  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override {
    return entities_.index_select(0, ids_of(queries, device()).given);
  }

 private:
  torch::Tensor entities_;
};

PartTiming time_opening(const std::string& folder, const Graph& graph) {
  const double ms = best_of(5, [&] { (void)Graph::open(folder); });
  return {"opening", fmt::format("the imported graph, {} triples", graph.triples(Split::train).size()), ms, ""};
}

PartTiming time_tokenising(const LanguageModelConfig& config, const Graph& graph) {
  const WordPiece tokenizer = load_tokenizer(LanguageModel::open(config.path).folder);
  std::size_t tokens = 0;
  const double ms = best_of(2, [&] {
    const GraphTokens all = GraphTokens::build(graph, tokenizer);
    tokens = all.names.ids().size() + all.descriptions.ids().size() + all.relations.ids().size();
  });
  return {"tokenising", fmt::format("all texts, {} tokens", tokens), ms,
          fmt::format("{:.1f} M tokens/s", static_cast<double>(tokens) / ms / 1e3)};
}

PartTiming time_bank(const RunConfig& config, const Graph& graph, const torch::Device& device) {
  const std::unique_ptr<Learner> learner =
      make_learner(config, {.graph = graph, .graph_folder = config.graph, .device = device, .seed = config.seed});
  const TextConfig* text = text_of(config);
  const std::int64_t draws = text->context > 0 ? text->draws : 1;
  const double ms = best_of(device.is_cpu() ? 1 : 3, [&] {
    const std::unique_ptr<Scorer> scorer = learner->scorer();
    wait_for(dynamic_cast<const VectorScorer&>(*scorer).entities());
  });
  return {"bank", fmt::format("the vectors of {} entities", graph.entities()), ms,
          fmt::format("{:.0f} texts/s", static_cast<double>(graph.entities() * draws) / ms * 1e3)};
}

PartTiming time_mining(const Graph& graph, const torch::Device& device) {
  const auto type = device.is_cpu() ? torch::kFloat32 : torch::kBFloat16;
  const torch::Tensor entities = torch::randn({graph.entities(), kDim}, device).to(type);
  const std::vector<Triple> all = with_inverses(graph.triples(Split::train), graph.relations());
  const std::vector<Triple> batch(all.begin(),
                                  all.begin() + static_cast<std::ptrdiff_t>(std::min(kMiningBatch, all.size())));
  const RaggedIds known = known_rows(KnownAnswers::of_training(graph), batch).to(device);
  const torch::Tensor queries = torch::randn({static_cast<std::int64_t>(batch.size()), kDim}, device).to(type);
  constexpr int kTimes = 20;
  const double ms = best_of(3, [&] {
    torch::Tensor found;
    for (int i = 0; i < kTimes; ++i) found = top_entities(queries, entities, known, kMined, std::int64_t{512} << 20);
    wait_for(found);
  });
  const double flops = 2.0 * static_cast<double>(batch.size()) * graph.entities() * kDim;
  return {"mining", fmt::format("the top {} of {} entities for {} queries", kMined, graph.entities(), batch.size()),
          ms / kTimes, rate_of(flops / (ms / kTimes), device)};
}

PartTiming time_ranking(const Graph& graph, const torch::Device& device) {
  const RandomScorer scorer(graph.entities(), device);
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const std::size_t queries = 2 * graph.triples(Split::test).size();
  const double ms = best_of(device.is_cpu() ? 1 : 5, [&] { (void)rank_split(scorer, graph, known, Split::test); });
  const double flops = 2.0 * static_cast<double>(queries) * graph.entities() * kDim;
  return {"ranking", fmt::format("{} test queries among {} entities", queries, graph.entities()), ms,
          fmt::format("{:.1f} TFLOP/s in float32", flops / ms / 1e9)};
}

}  // namespace

std::vector<PartTiming> time_parts(const RunConfig& config, const Graph& graph) {
  const torch::Device device = parse_device(config.device);
  std::vector<PartTiming> parts;
  parts.push_back(time_opening(config.graph, graph));
  if (const LanguageModelConfig* model = language_model_of(config)) parts.push_back(time_tokenising(*model, graph));
  if (std::holds_alternative<TextFamily>(config.family)) parts.push_back(time_bank(config, graph, device));
  parts.push_back(time_mining(graph, device));
  parts.push_back(time_ranking(graph, device));
  return parts;
}

std::string to_table(const std::vector<PartTiming>& parts) {
  std::string text;
  for (const PartTiming& part : parts) {
    text += fmt::format("{:<12}{:>12.3f} ms   {}{}\n", part.name, part.milliseconds, part.what,
                        part.rate.empty() ? "" : ": " + part.rate);
  }
  return text;
}

}  // namespace hasa
