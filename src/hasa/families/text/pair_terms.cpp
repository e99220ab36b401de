#include "hasa/families/text/pair_terms.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "hasa/train/host_tensor.h"

namespace hasa {
namespace {

void add(PairTermEntries& entries, std::int64_t place, std::int64_t weight, float value) {
  entries.places.push_back(place);
  entries.weights.push_back(weight);
  entries.values.push_back(value);
}

float log_of(std::int32_t times) { return std::log1p(static_cast<float>(times)); }

}  // namespace

PairTerms::PairTerms(const PairTermsConfig& config, const Graph& graph)
    : config_(config), entities_(graph.entities()), directed_(graph.num_directed_relations()), edges_(graph) {
  if (!config.frequency) return;
  std::vector<std::vector<EntityId>> answers(static_cast<std::size_t>(directed_));
  for (const Triple& triple : with_inverses(graph.triples(Split::train), graph.relations()))
    answers[static_cast<std::size_t>(triple.relation)].push_back(triple.tail);
  counts_.resize(answers.size());
  for (std::size_t r = 0; r < answers.size(); ++r) {
    std::sort(answers[r].begin(), answers[r].end());
    for (const EntityId entity : answers[r]) {
      if (counts_[r].empty() || counts_[r].back().entity != entity) counts_[r].push_back({entity, 0});
      ++counts_[r].back().times;
    }
  }
}

std::int64_t PairTerms::num_weights() const {
  return (config_.links ? directed_ * directed_ : 0) + (config_.frequency ? directed_ : 0);
}

std::vector<PairTerms::ColumnCount> PairTerms::columns_answered(RelationId asked,
                                                                std::span<const EntityId> columns) const {
  const std::vector<Count>& counts = counts_[static_cast<std::size_t>(asked)];
  std::vector<ColumnCount> list;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto found = std::lower_bound(counts.begin(), counts.end(), columns[c],
                                        [](const Count& count, EntityId wanted) { return count.entity < wanted; });
    if (found != counts.end() && found->entity == columns[c])
      list.push_back({static_cast<std::int64_t>(c), found->times});
  }
  return list;
}

PairTermEntries PairTerms::of_queries(std::span<const Query> queries) const {
  PairTermEntries entries;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto& [given, relation] = queries[i];
    const std::int64_t row = static_cast<std::int64_t>(i) * entities_;
    if (config_.links) {
      for (const Edge& edge : edges_.edges(given))
        add(entries, row + edge.neighbour, weight_of_link(relation, edge.relation), 1);
    }
    if (config_.frequency) {
      for (const Count& count : counts_[static_cast<std::size_t>(relation)])
        add(entries, row + count.entity, weight_of_frequency(relation), log_of(count.times));
    }
  }
  return entries;
}

PairTermEntries PairTerms::of_step(std::span<const StepTriple> batch, std::span<const EntityId> columns) const {
  std::unordered_map<EntityId, std::vector<std::int64_t>> columns_of;
  for (std::size_t c = 0; c < columns.size(); ++c) columns_of[columns[c]].push_back(static_cast<std::int64_t>(c));
  std::unordered_map<RelationId, std::vector<ColumnCount>> answered;
  PairTermEntries entries;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto& [triple, number] = batch[i];
    const std::int64_t row = static_cast<std::int64_t>(i * columns.size());
    if (config_.links) {
      for (const Edge& edge : edges_.edges(triple.head)) {
        const auto found = columns_of.find(edge.neighbour);
        if (edge.triple == number || found == columns_of.end()) continue;
        for (const std::int64_t column : found->second)
          add(entries, row + column, weight_of_link(triple.relation, edge.relation), 1);
      }
    }
    if (config_.frequency) {
      const auto [found, fresh] = answered.try_emplace(triple.relation);
      if (fresh) found->second = columns_answered(triple.relation, columns);
      for (const auto& [column, times] : found->second) {
        const bool own = columns[static_cast<std::size_t>(column)] == triple.tail;
        if (own && times == 1) continue;
        add(entries, row + column, weight_of_frequency(triple.relation), log_of(own ? times - 1 : times));
      }
    }
  }
  return entries;
}

PairTermTensors tensors_of(const PairTermEntries& entries, const torch::Device& device) {
  return {host_tensor(entries.places, torch::kInt64, device), host_tensor(entries.weights, torch::kInt64, device),
          host_tensor(entries.values, torch::kFloat32, device)};
}

PairTermTensors PairTermTensors::to(const torch::Device& device) const {
  const auto moved = [&](const torch::Tensor& x) { return x.to(device, /*non_blocking=*/true); };
  return {moved(places), moved(weights), moved(values)};
}

std::shared_ptr<const PairTerms> pair_terms(const PairTermsConfig& config, const Graph& graph) {
  return config.any() ? std::make_shared<const PairTerms>(config, graph) : nullptr;
}

torch::Tensor term_matrix(const torch::Tensor& weights, const PairTermTensors& entries, std::int64_t rows,
                          std::int64_t columns) {
  return torch::zeros({rows * columns}, weights.options().requires_grad(false))
      .index_add(0, entries.places, weights.index_select(0, entries.weights) * entries.values)
      .view({rows, columns});
}

ScoringCost PairTermsScorer::cost() const {
  ScoringCost cost = texts_->cost();
  cost.bytes_per_query += 2 * num_entities() * static_cast<std::int64_t>(sizeof(float));
  return cost;
}

torch::Tensor PairTermsScorer::terms(std::span<const Query> queries) const {
  const PairTermTensors entries = tensors_of(terms_->of_queries(queries), torch::kCPU);
  return term_matrix(weights_, entries, std::ssize(queries), num_entities()).to(device());
}

torch::Tensor PairTermsScorer::scores(std::span<const Query> queries) const {
  return (texts_->scores(queries) * scale_).add_(terms(queries));
}

torch::Tensor PairTermsScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  return (texts_->scores_of(queries, candidates) * scale_).add_(terms(queries).gather(1, candidates));
}

}  // namespace hasa
