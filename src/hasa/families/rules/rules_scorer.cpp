#include "hasa/families/rules/rules_scorer.h"

#include "hasa/base/thread_pool.h"

namespace hasa {

torch::Tensor RulesScorer::scores(std::span<const Query> queries) const {
  constexpr std::size_t kQueriesOfAThread = 8;
  const std::int64_t entities = num_entities();
  torch::Tensor scores = torch::empty({std::ssize(queries), entities});  // [queries, entities]
  float* rows = scores.mutable_data_ptr<float>();
  parallel_for(queries.size(), kQueriesOfAThread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      book_.score(queries[i], {rows + static_cast<std::int64_t>(i) * entities, static_cast<std::size_t>(entities)});
  });
  return scores.to(device_);
}

torch::Tensor RulesScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  return scores(queries).gather(1, candidates);
}

}  // namespace hasa
