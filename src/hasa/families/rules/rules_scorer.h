#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "hasa/families/rules/rule_book.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// Scores entities by the confidence of the rules that predict them. Rules are applied on the CPU.
class RulesScorer : public Scorer {
 public:
  RulesScorer(std::unique_ptr<EdgeGroups> edges, const std::vector<Rule>& rules, torch::Device device)
      : edges_(std::move(edges)), book_(*edges_, rules), device_(device) {}

  /// By the rules of some kinds alone.
  RulesScorer of_kinds(const std::function<bool(RuleKind)>& wanted) const {
    return {edges_, book_.of_kinds(wanted), device_};
  }

  const RuleBook& book() const { return book_; }

  std::int64_t num_entities() const override { return edges_->entities(); }
  torch::Device device() const override { return device_; }
  ScoringCost cost() const override { return {}; }
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;

 private:
  RulesScorer(std::shared_ptr<const EdgeGroups> edges, RuleBook book, torch::Device device)
      : edges_(std::move(edges)), book_(std::move(book)), device_(device) {}

  std::shared_ptr<const EdgeGroups> edges_;  // the book refers to them
  RuleBook book_;
  torch::Device device_;
};

}  // namespace hasa
