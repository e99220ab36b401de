#include <algorithm>
#include <cmath>
#include <vector>

#include "hasa/loss/contrastive.h"

namespace hasa {
namespace {

/// A score, and the one its weight is taken at.
struct Term {
  double score;
  double weight_at;
};

double log_sum_exp(const std::vector<double>& x) {
  const double top = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double each : x) sum += std::exp(each - top);
  return top + std::log(sum);
}

/// lse_j(s_j + log softmax(beta s)_j): a of the negatives, b of the neighbours.
double log_weighted_mean(const std::vector<Term>& terms, double beta) {
  std::vector<double> logits, weighted;
  for (const Term& term : terms) logits.push_back(beta * term.weight_at);
  const double normaliser = log_sum_exp(logits);
  for (const Term& term : terms) weighted.push_back(term.score + beta * term.weight_at - normaliser);
  return log_sum_exp(weighted);
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// The batch as plain numbers.
class Numbers {
 public:
  Numbers(const ContrastiveBatch& batch, const torch::Tensor& weights_at)
      : scores_(plain(batch.scores, torch::kFloat64)),
        weights_at_(weights_at.defined() ? plain(weights_at, torch::kFloat64) : scores_),
        negative_(plain(batch.negative, torch::kBool)),
        positive_(plain(batch.positive, torch::kInt64)),
        multiplicity_(batch.multiplicity.defined() ? plain(batch.multiplicity, torch::kInt64)
                                                   : torch::ones({scores_.size(1)}, torch::kInt64)),
        neighbours_(batch.neighbours.defined() ? plain(batch.neighbours, torch::kInt64)
                                               : torch::empty({scores_.size(0), 0}, torch::kInt64)),
        margin_(batch.margin.item<double>()) {}

  std::int64_t queries() const { return scores_.size(0); }
  double score(std::int64_t query, std::int64_t column) const { return at(scores_, query, column); }
  bool negative(std::int64_t query, std::int64_t column) const {
    return negative_.const_data_ptr<bool>()[query * scores_.size(1) + column];
  }
  std::int64_t positive(std::int64_t query) const { return positive_.const_data_ptr<std::int64_t>()[query]; }
  double positive_score(std::int64_t query) const { return score(query, positive(query)) - margin_; }

  std::vector<Term> negatives(std::int64_t query) const {
    std::vector<Term> terms;
    for (std::int64_t column = 0; column < scores_.size(1); ++column) {
      const std::int64_t times = negative(query, column) ? multiplicity_.const_data_ptr<std::int64_t>()[column] : 0;
      for (std::int64_t k = 0; k < times; ++k) terms.push_back(term(query, column));
    }
    return terms;
  }
  std::vector<Term> neighbours(std::int64_t query) const {
    std::vector<Term> terms;
    const std::int64_t samples = neighbours_.size(1);
    for (std::int64_t m = 0; m < samples; ++m) {
      const std::int64_t column = neighbours_.const_data_ptr<std::int64_t>()[query * samples + m];
      if (column >= 0) terms.push_back(term(query, column));
    }
    return terms;
  }
  Term term(std::int64_t query, std::int64_t column) const {
    return {score(query, column), at(weights_at_, query, column)};
  }

 private:
  static torch::Tensor plain(const torch::Tensor& x, torch::Dtype dtype) {
    return x.detach().to(torch::kCPU, dtype).contiguous();
  }
  static double at(const torch::Tensor& matrix, std::int64_t row, std::int64_t column) {
    return matrix.const_data_ptr<double>()[row * matrix.size(1) + column];
  }

  torch::Tensor scores_, weights_at_, negative_, positive_, multiplicity_, neighbours_;
  double margin_;
};

struct QueryLoss {
  double loss = 0;
  bool floored = false;
};

QueryLoss query_loss(const Numbers& batch, std::int64_t query, const ContrastiveConfig& config) {
  const std::vector<Term> negatives = batch.negatives(query), neighbours = batch.neighbours(query);
  if (negatives.empty()) return {};
  const double p = batch.positive_score(query), log_count = std::log(static_cast<double>(negatives.size()));
  const bool hasa = config.kind == ContrastiveKind::hasa;
  const bool alike = config.kind == ContrastiveKind::simple || (hasa && config.paper_listing);
  const double beta = alike ? 0 : config.beta;
  const double a = log_weighted_mean(negatives, beta);
  if (!hasa || neighbours.empty()) return {softplus(log_count + a - p), false};

  const double b = log_weighted_mean(neighbours, beta), tau = config.tau;
  // Both differences are divided by e^a, which is put back outside the logarithm.
  const double whole = config.paper_listing ? 1 / (1 - tau) : 1;
  const double difference = whole - tau * std::exp(b - a), least = config.floor * whole;
  const double divided = config.paper_listing ? 0 : std::log(1 - tau);
  return {softplus(log_count + a + std::log(std::max(difference, least)) - divided - p), difference < least};
}

double tail_loss(const Numbers& batch, std::int64_t tail, const ContrastiveConfig& config) {
  const std::int64_t column = batch.positive(tail);
  std::vector<Term> others;
  for (std::int64_t query = 0; query < batch.queries(); ++query) {
    if (query == tail || (config.mask_true_queries && !batch.negative(query, column))) continue;
    others.push_back(batch.term(query, column));
  }
  if (others.empty()) return 0;
  return softplus(std::log(static_cast<double>(others.size())) + log_weighted_mean(others, config.context_beta) -
                  batch.positive_score(tail));
}

}  // namespace

ContrastiveLoss contrastive_loss_reference(const ContrastiveBatch& batch, const ContrastiveConfig& config,
                                           const torch::Tensor& weights_at) {
  const Numbers numbers(batch, weights_at);
  const auto queries = static_cast<double>(numbers.queries());
  double loss = 0, floored = 0, information = 0;
  for (std::int64_t query = 0; query < numbers.queries(); ++query) {
    const QueryLoss one = query_loss(numbers, query, config);
    loss += one.loss;
    floored += one.floored ? 1 : 0;
    information += std::log1p(static_cast<double>(numbers.negatives(query).size())) - one.loss;
    if (config.tail_to_query) loss += tail_loss(numbers, query, config);
  }
  return {torch::scalar_tensor(loss / queries, torch::kFloat64),
          torch::scalar_tensor(floored / queries, torch::kFloat64),
          torch::scalar_tensor(information / queries, torch::kFloat64)};
}

}  // namespace hasa
