#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "hasa/loss/contrastive.h"

namespace hasa::testing {

inline constexpr ContrastiveConfig kSimple{.kind = ContrastiveKind::simple, .tail_to_query = false};
inline constexpr ContrastiveConfig kHard{.kind = ContrastiveKind::hard, .tail_to_query = false, .beta = 1};
inline constexpr ContrastiveConfig kHasa{.kind = ContrastiveKind::hasa, .tail_to_query = false, .beta = 1, .tau = 0.1};

inline double largest(const torch::Tensor& x) { return x.abs().max().item<double>(); }

/// Random scores; about a third of the columns are not negatives of a query. The third query shares its answer with
/// the first, the second has no neighbours, and answers may be among neighbours.
inline ContrastiveBatch random_contrastive_batch(std::int64_t queries, std::int64_t columns, double size = 1,
                                                 torch::Dtype dtype = torch::kFloat64) {
  torch::manual_seed(queries * 1000 + columns);
  ContrastiveBatch batch;
  batch.scores = (torch::randn({queries, columns}, torch::kFloat64) * size).to(dtype);
  batch.negative = torch::rand({queries, columns}) < 0.7;
  batch.positive = torch::randint(columns, {queries}, torch::kInt64);
  if (queries > 2) batch.positive[2] = batch.positive[0];
  batch.negative.scatter_(1, batch.positive.unsqueeze(1), 0);
  batch.margin = torch::scalar_tensor(0.3, dtype);
  batch.neighbours = torch::randint(columns, {queries, 3}, torch::kInt64);
  if (queries > 1) batch.neighbours[1].fill_(-1);
  return batch;
}

inline torch::Tensor random_multiplicity(std::int64_t columns) {
  return torch::randint(1, 4, {columns}, torch::kFloat32);
}

struct NamedContrastive {
  std::string name;
  ContrastiveConfig config;
};

/// Every kind with every option that affects it. At tau = .9 the floor is active for some queries and not for others.
inline std::vector<NamedContrastive> all_contrastive() {
  std::vector<NamedContrastive> kinds;
  const auto add = [&](const std::string& name, ContrastiveConfig config) { kinds.push_back({name, config}); };
  add("simple", {.kind = ContrastiveKind::simple});
  for (const double beta : {0.0, 1.0, 3.0}) {
    for (const bool through_weights : {false, true}) {
      const std::string with = ", beta " + std::to_string(static_cast<int>(beta)) +
                               (through_weights ? ", gradient through the weights" : "");
      add("hard" + with, {.kind = ContrastiveKind::hard, .beta = beta, .weight_gradient = through_weights});
      for (const double tau : {0.0, 1e-4, 0.2, 0.9}) {
        ContrastiveConfig config{
            .kind = ContrastiveKind::hasa, .beta = beta, .tau = tau, .weight_gradient = through_weights};
        add("hasa" + with + ", tau " + std::to_string(tau), config);
        config.paper_listing = true;
        add("listing" + with + ", tau " + std::to_string(tau), config);
      }
    }
  }
  std::vector<NamedContrastive> all;
  for (const auto& [name, config] : kinds) {
    ContrastiveConfig one = config;
    one.tail_to_query = false;
    all.push_back({name, one});
    one.tail_to_query = true;
    all.push_back({name + ", tail to query", one});
    one.context_beta = 2;
    all.push_back({name + ", tail to hard queries", one});
    one.context_beta = 0;
    one.mask_true_queries = false;
    all.push_back({name + ", tail to all queries", one});
  }
  return all;
}

struct LossAndGradient {
  double loss;
  double floored;
  torch::Tensor gradient;  // [queries, columns], on the CPU
};

inline LossAndGradient loss_and_gradient(ContrastiveBatch batch, const ContrastiveConfig& config) {
  batch.scores = batch.scores.detach().clone().requires_grad_();
  const ContrastiveLoss result = contrastive_loss(batch, config);
  result.loss.backward();
  return {result.loss.item<double>(), result.floored.item<double>(), batch.scores.grad().cpu()};
}

}  // namespace hasa::testing
