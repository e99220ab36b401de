#include "hasa/families/fusion/fusion_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/rng.h"
#include "hasa/base/stopwatch.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/fusion/weight_fit.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/score/filtered_rank.h"

namespace hasa {
namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{512} << 20;  // of scores and terms at a time
constexpr double kTableBytes = 512.0 * (1 << 20);              // of the candidates to fit on
constexpr std::int64_t kMostQueries = 1024;

/// The validation triples in both directions, and the fold of each: that of its triple.
struct ValidationQueries {
  std::vector<Triple> triples;
  std::vector<std::int32_t> folds;
};

ValidationQueries validation_queries(const Graph& graph, std::int64_t folds, std::uint64_t seed) {
  ValidationQueries queries{with_inverses(graph.triples(Split::valid), graph.relations()), {}};
  const std::size_t triples = queries.triples.size() / 2;
  std::vector<std::int32_t> of_triple(triples);
  for (std::size_t i = 0; i < triples; ++i)
    of_triple[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(folds));
  Rng(seed, "folds").shuffle(of_triple);
  for (std::size_t i = 0; i < 2 * triples; ++i) queries.folds.push_back(of_triple[i % triples]);
  return queries;
}

using VisitBlock = std::function<void(std::size_t first, std::span<const Triple>, const std::vector<torch::Tensor>&)>;

/// Streams the features of all queries, as many at a time as fit the budget.
void for_each_block(const FusionFeatures& features, std::span<const Triple> triples, const char* title,
                    const VisitBlock& visit) {
  const torch::NoGradGuard no_grad;
  const ScoringCost cost = features.cost();
  const std::int64_t fit = kBlockBytes / std::max<std::int64_t>(1, cost.bytes_per_query) / cost.block * cost.block;
  const auto at_a_time = static_cast<std::size_t>(std::max(cost.block, std::min(fit, kMostQueries)));
  Progress progress(title, triples.size(), "queries");
  for (std::size_t first = 0; first < triples.size(); first += at_a_time) {
    const auto block = triples.subspan(first, std::min(at_a_time, triples.size() - first));
    std::vector<Query> queries;
    for (const Triple& triple : block) queries.push_back(query_of(triple));
    visit(first, block, features.of(queries));
    progress.advance(block.size());
  }
}

/// Gathers the candidates to fit on.
class Collector {
 public:
  Collector(const FusionFeatures& features, const Graph& graph, const FusionFitConfig& config, std::uint64_t seed,
            std::size_t queries)
      : features_(features),
        known_(graph, std::array{Split::train, Split::valid}),
        seed_(seed),
        taken_(static_cast<std::size_t>(graph.entities()), 0),
        table_(static_cast<std::size_t>(features.num_features())) {
    const auto of_a_query =
        static_cast<double>(static_cast<std::int64_t>(features.num_parts()) * config.top + config.sample + 1);
    const double bytes =
        of_a_query * static_cast<double>(queries) * static_cast<double>((features.num_features() + 1) * sizeof(float));
    const double share = std::min(1.0, kTableBytes / std::max(1.0, bytes));
    top_ = std::clamp<std::int64_t>(std::llround(share * static_cast<double>(config.top)), 1, graph.entities());
    sample_ = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(config.sample)));
  }

  void add(std::size_t first, std::span<const Triple> block, std::span<const std::int32_t> folds,
           const std::vector<torch::Tensor>& features) {
    const std::vector<torch::Tensor> best = best_of_parts(block, features);
    std::vector<torch::Tensor> on_cpu;
    for (const torch::Tensor& each : features) on_cpu.push_back(each.cpu().contiguous());
    for (std::size_t i = 0; i < block.size(); ++i) {
      table_.add_query(block[i].relation, folds[first + i]);
      add_candidates(i, block[i], best, on_cpu, first + i);
    }
  }
  FitTable take() { return std::move(table_); }

 private:
  /// [parts][queries, top]: the top candidates of each part, known answers filtered.
  std::vector<torch::Tensor> best_of_parts(std::span<const Triple> block, const std::vector<torch::Tensor>& features) {
    const RaggedIds known = known_rows(known_, block).to(features_.device());
    std::vector<torch::Tensor> best;
    for (std::size_t p = 0; p < features_.num_parts(); ++p) {
      torch::Tensor scores = features[features_.features_of_part(p).first].clone();
      scores.index_put_({known.row_of_each(), known.ids},
                        torch::full({}, -std::numeric_limits<float>::infinity(), scores.options()));
      best.push_back(std::get<1>(scores.topk(top_, 1)).cpu().contiguous());
    }
    return best;
  }

  void add_candidates(std::size_t row, const Triple& triple, const std::vector<torch::Tensor>& best,
                      const std::vector<torch::Tensor>& features, std::size_t number) {
    const auto known = known_.tails(triple.head, triple.relation);
    for (const EntityId e : known) taken_[e] = 1;
    taken_[triple.tail] = 1;
    chosen_.assign(1, triple.tail);
    const auto entities = static_cast<std::int64_t>(taken_.size());
    const std::int64_t rivals = entities - std::ssize(known);  // the answer is among the known
    const bool everything = rivals <= sample_ + top_ * std::ssize(best);
    for (const torch::Tensor& of_part : best) {
      const auto* ids = of_part.const_data_ptr<std::int64_t>() + static_cast<std::int64_t>(row) * top_;
      for (std::int64_t i = 0; i < std::min(top_, rivals) && !everything; ++i) choose(static_cast<EntityId>(ids[i]));
    }
    for (EntityId e = 0; everything && e < entities; ++e) choose(e);
    const std::size_t certain = chosen_.size();
    const std::int64_t others = rivals + 1 - std::ssize(chosen_);
    Rng rng(seed_, "candidates", number);
    for (std::int64_t i = 0; i < std::min(sample_, others);) {
      if (choose(static_cast<EntityId>(rng.below(static_cast<std::uint64_t>(entities))))) ++i;
    }
    const auto drawn = static_cast<double>(chosen_.size() - certain);
    const auto log_count =
        static_cast<float>(std::log(std::max(1.0, static_cast<double>(others)) / std::max(1.0, drawn)));
    for (std::size_t c = 0; c < chosen_.size(); ++c) {
      of_candidate_.clear();
      for (const torch::Tensor& feature : features)
        of_candidate_.push_back(
            feature.const_data_ptr<float>()[static_cast<std::int64_t>(row) * entities + chosen_[c]]);
      table_.add_candidate(of_candidate_, c < certain ? 0.F : log_count);
    }
    for (const EntityId e : known) taken_[e] = 0;
    for (const EntityId e : chosen_) taken_[e] = 0;
  }

  bool choose(EntityId entity) {
    if (taken_[entity] != 0) return false;
    taken_[entity] = 1;
    chosen_.push_back(entity);
    return true;
  }

  const FusionFeatures& features_;
  KnownAnswers known_;
  std::uint64_t seed_;
  std::int64_t top_ = 0, sample_ = 0;
  std::vector<char> taken_;  // known, or chosen already
  std::vector<EntityId> chosen_;
  std::vector<float> of_candidate_;
  FitTable table_;
};

/// [directed relations, features]
torch::Tensor tensor_of(const FusionWeights& weights, RelationId relations) {
  const auto features = static_cast<std::int64_t>(weights.features);
  torch::Tensor tensor = torch::empty({relations, features});
  float* value = tensor.mutable_data_ptr<float>();
  for (RelationId r = 0; r < relations; ++r) {
    for (std::size_t f = 0; f < weights.features; ++f) *value++ = static_cast<float>(weights.of(r, f));
  }
  return tensor;
}

std::vector<RankedQuery> cross_fitted_ranks(const FusionFeatures& features, const Graph& graph,
                                            const ValidationQueries& queries, const torch::Tensor& of_folds) {
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const KnownIndex index(known, features.device());
  std::vector<RankedQuery> ranked;
  for_each_block(
      features, queries.triples, "ranking", [&](std::size_t first, std::span<const Triple> block, const auto& terms) {
        std::vector<std::int64_t> rows;  // of [folds * relations, features]
        for (std::size_t i = 0; i < block.size(); ++i)
          rows.push_back(std::int64_t{queries.folds[first + i]} * graph.num_directed_relations() + block[i].relation);
        const torch::Tensor weights =
            of_folds.index_select(0, torch::tensor(rows, torch::kInt64).to(features.device()));
        append_ranks(weighed(terms, weights), block, index, ranked);
      });
  return ranked;
}

}  // namespace

FittedFusion fit_fusion(const FusionFeatures& features, const Graph& graph, const FusionFitConfig& config,
                        std::uint64_t seed) {
  const ValidationQueries queries = validation_queries(graph, config.folds, seed);
  Collector collector(features, graph, config, seed, queries.triples.size());
  for_each_block(features, queries.triples, "gathering", [&](std::size_t first, auto block, const auto& terms) {
    collector.add(first, block, queries.folds, terms);
  });
  const FitTable table = collector.take();
  const Stopwatch watch;
  const RelationId relations = graph.num_directed_relations();
  const auto fitted = [&](WeightFit fit) {
    fit.shrinkage = config.shrinkage;
    fit.by_relation = config.by_relation;
    return tensor_of(fit_weights(table, relations, fit), relations);
  };
  FittedFusion result;
  result.weights.all = fitted({});
  std::vector<torch::Tensor> without, of_folds;
  for (std::size_t p = 0; p < features.num_parts(); ++p) {
    const FusionFeatures::Span part = features.features_of_part(p);
    without.push_back(fitted({.without_first = part.first, .without_last = part.last}));
  }
  result.weights.without = torch::stack(without);
  for (std::int32_t fold = 0; fold < config.folds; ++fold) of_folds.push_back(fitted({.without_fold = fold}));
  log_info("{} weights fitted {} times in {:.1f} s", result.weights.all.numel(), 1 + without.size() + of_folds.size(),
           watch.seconds());
  result.validation = scores_of(
      cross_fitted_ranks(features, graph, queries, torch::cat(of_folds).to(features.device())), graph.relations());
  return result;
}

}  // namespace hasa
