#include "hasa/families/popularity/popularity_scorer.h"

#include "hasa/model/query_columns.h"

namespace hasa {

torch::Tensor PopularityScorer::scores(std::span<const Query> queries) const {
  const torch::Tensor relations = ids_of(queries, device()).relations;
  return counts_.index_select(0, counts_.size(0) == 1 ? torch::zeros_like(relations) : relations);
}

torch::Tensor PopularityScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  return scores(queries).gather(1, candidates);
}

torch::Tensor answer_counts(std::span<const Triple> triples, std::int64_t entities, std::int64_t relations) {
  torch::Tensor counts = torch::zeros({2 * relations, entities});
  float* count = counts.mutable_data_ptr<float>();
  for (const Triple& triple : triples) {
    ++count[triple.relation * entities + triple.tail];
    ++count[(triple.relation + relations) * entities + triple.head];
  }
  return counts;
}

}  // namespace hasa
