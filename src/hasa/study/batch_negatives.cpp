#include "hasa/study/batch_negatives.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "hasa/base/rng.h"
#include "hasa/model/query.h"

namespace hasa {
namespace {

/// The entities of a batch, and how often each is a tail.
struct BatchEntities {
  std::vector<EntityId> ids;  // rising
  std::vector<double> tails;

  explicit BatchEntities(std::span<const Triple> batch) {
    std::map<EntityId, double> count;
    for (const Triple& triple : batch) {
      count.try_emplace(triple.head, 0);
      count[triple.tail] += 1;
    }
    for (const auto& [entity, times] : count) {
      ids.push_back(entity);
      tails.push_back(times);
    }
  }
};

void normalise(std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum == 0) return;
  for (double& weight : weights) weight /= sum;
}

/// The softmax over those that are allowed; zero for the others.
std::vector<double> softmax_of(const float* scores, const std::vector<bool>& allowed) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (allowed[i]) top = std::max(top, static_cast<double>(scores[i]));
  }
  std::vector<double> weights(allowed.size(), 0);
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (allowed[i]) weights[i] = std::exp(static_cast<double>(scores[i]) - top);
  }
  normalise(weights);
  return weights;
}

/// [queries, candidates] on the CPU.
torch::Tensor scores_of_batch(const Scorer& scorer, std::span<const Triple> batch, const BatchEntities& entities) {
  std::vector<Query> queries;
  for (const Triple& triple : batch) queries.push_back(query_of(triple));
  const torch::Tensor ids = at::tensor(entities.ids, torch::kInt64).to(scorer.device());
  return scorer.scores(queries).index_select(1, ids).cpu().contiguous();
}

void visit_batch(const Scorer& scorer, std::span<const Triple> batch, const KnownAnswers& known,
                 const std::function<void(const QueryNegatives&)>& visit) {
  const BatchEntities entities(batch);
  const torch::Tensor scores = scores_of_batch(scorer, batch, entities);
  const auto columns = entities.ids.size();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto answers = known.tails(batch[i].head, batch[i].relation);
    std::vector<bool> allowed(columns);
    std::vector<double> simple(columns, 0);
    for (std::size_t c = 0; c < columns; ++c) {
      allowed[c] = entities.ids[c] != batch[i].tail && !std::ranges::binary_search(answers, entities.ids[c]);
      if (allowed[c]) simple[c] = entities.tails[c];
    }
    normalise(simple);
    visit({batch[i], entities.ids, std::move(simple), softmax_of(scores.data_ptr<float>() + i * columns, allowed)});
  }
}

}  // namespace

void for_each_query_negatives(const Scorer& scorer, std::span<const Triple> triples, const KnownAnswers& known,
                              std::int64_t batch, std::uint64_t seed,
                              const std::function<void(const QueryNegatives&)>& visit) {
  std::vector<Triple> order(triples.begin(), triples.end());
  Rng(seed, "batches", static_cast<std::uint64_t>(batch)).shuffle(order);
  const auto size = static_cast<std::size_t>(batch);
  for (std::size_t from = 0; from + size <= order.size(); from += size)
    visit_batch(scorer, std::span(order).subspan(from, size), known, visit);
}

std::vector<std::int64_t> draw_counts(std::span<const double> probabilities, std::int64_t draws, Rng& rng) {
  std::vector<double> ends(probabilities.size());
  std::partial_sum(probabilities.begin(), probabilities.end(), ends.begin());
  if (ends.empty() || ends.back() == 0) return {};
  std::vector<std::int64_t> counts(probabilities.size(), 0);
  for (std::int64_t i = 0; i < draws; ++i) {
    // Past the ends of those that cannot be drawn: a place of probability 0 ends where the one before it does.
    const auto found = std::ranges::upper_bound(ends, rng.uniform() * ends.back());
    ++counts[static_cast<std::size_t>(std::min(found, ends.end() - 1) - ends.begin())];
  }
  return counts;
}

}  // namespace hasa
