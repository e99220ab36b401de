#include "hasa/families/fusion/fusion_features.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr double kLeastDeviation = 1e-6;  // scores that are all equal say nothing

torch::Tensor ids_tensor(const std::vector<std::int64_t>& ids, const torch::Device& device) {
  return torch::tensor(ids, torch::kInt64).to(device);
}

}  // namespace

AnswerFrequencies::AnswerFrequencies(std::span<const Triple> triples, RelationId relations, const torch::Device& device)
    : rows_(2 * static_cast<std::size_t>(relations)), device_(device) {
  std::vector<std::map<EntityId, int>> counts(rows_.size());
  for (const Triple& triple : triples) {
    ++counts[triple.relation][triple.tail];
    ++counts[triple.relation + relations][triple.head];
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::vector<std::int64_t> entities;
    std::vector<float> logs;
    for (const auto& [entity, count] : counts[r]) {
      entities.push_back(entity);
      logs.push_back(std::log1p(static_cast<float>(count)));
    }
    rows_[r] = {ids_tensor(entities, device), torch::tensor(logs, torch::kFloat32).to(device)};
  }
}

torch::Tensor AnswerFrequencies::of(std::span<const Query> queries, std::int64_t entities) const {
  torch::Tensor result = torch::zeros({std::ssize(queries), entities}, torch::TensorOptions(device_));
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Row& row = rows_[queries[i].relation];
    result[static_cast<std::int64_t>(i)].index_put_({row.entities}, row.logs);
  }
  return result;
}

FusionFeatures::FusionFeatures(std::vector<RunPart> parts, const Graph& graph, const FusionTerms& terms)
    : parts_(std::move(parts)), terms_(terms) {
  HASA_ASSERT(!parts_.empty());
  for (const RunPart& part : parts_)
    HASA_CHECK(part.scorer->num_entities() == graph.entities(), data, "{} scores {} entities, the graph has {}",
               part.name, part.scorer->num_entities(), graph.entities());
  const auto training = graph.triples(Split::train);
  if (terms_.frequency) frequencies_ = std::make_unique<AnswerFrequencies>(training, graph.relations(), device());
  if (terms_.linked) neighbours_ = std::make_unique<Adjacency>(training, graph.entities(), graph.relations());
}

std::int64_t FusionFeatures::num_features() const {
  const auto of_parts = static_cast<std::int64_t>(num_parts()) * (terms_.dynamic ? 2 : 1);
  return of_parts + (terms_.frequency ? 1 : 0) + (terms_.linked ? 1 : 0);
}

FusionFeatures::Span FusionFeatures::features_of_part(std::size_t part) const {
  const std::int32_t each = terms_.dynamic ? 2 : 1, first = static_cast<std::int32_t>(part) * each;
  return {first, first + each};
}

ScoringCost FusionFeatures::cost() const {
  ScoringCost cost;
  for (const RunPart& part : parts_) {
    const ScoringCost own = part.scorer->cost();
    cost.bytes_per_query = std::max(cost.bytes_per_query, own.bytes_per_query);
    cost.block = std::max(cost.block, own.block);
    cost.seconds_per_query += own.seconds_per_query;
  }
  // Every term, a part's scores as they came, and the sum.
  cost.bytes_per_query += (num_features() + 2) * num_entities() * static_cast<std::int64_t>(sizeof(float));
  return cost;
}

torch::Tensor FusionFeatures::linked(std::span<const Query> queries) const {
  torch::Tensor result = torch::zeros({std::ssize(queries), num_entities()});
  for (std::size_t i = 0; i < queries.size(); ++i) {
    float* row = result[static_cast<std::int64_t>(i)].mutable_data_ptr<float>();
    for (const Edge& edge : neighbours_->edges(queries[i].given)) row[edge.neighbour] = 1;
  }
  return result.to(device());
}

std::vector<torch::Tensor> FusionFeatures::of(std::span<const Query> queries) const {
  std::vector<torch::Tensor> features;
  for (const RunPart& part : parts_) {
    const torch::Tensor scores = part.scorer->scores(queries);
    const torch::Tensor centred = scores - scores.mean(1, /*keepdim=*/true);
    const torch::Tensor deviation = centred.square().mean(1, /*keepdim=*/true).sqrt().clamp_min(kLeastDeviation);
    features.push_back(centred / deviation);
    if (terms_.dynamic) features.push_back(centred);
  }
  if (terms_.frequency) features.push_back(frequencies_->of(queries, num_entities()));
  if (terms_.linked) features.push_back(linked(queries));
  return features;
}

}  // namespace hasa
