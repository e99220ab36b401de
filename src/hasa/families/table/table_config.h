#pragma once

#include <cstdint>

#include "hasa/base/config.h"
#include "hasa/ops/table/row_loss_kind.h"

namespace hasa {

enum class TableTraining : std::uint8_t { negative_sampling, one_vs_all, k_vs_all };
inline EnumNames<TableTraining> names_of(TableTraining) {
  return {{TableTraining::negative_sampling, "negative_sampling"},
          {TableTraining::one_vs_all, "one_vs_all"},
          {TableTraining::k_vs_all, "k_vs_all"}};
}
enum class ExampleWeighting : std::uint8_t { evenly, by_triple, by_query };
inline EnumNames<ExampleWeighting> names_of(ExampleWeighting) {
  return {{ExampleWeighting::evenly, "evenly"},
          {ExampleWeighting::by_triple, "by_triple"},
          {ExampleWeighting::by_query, "by_query"}};
}
inline EnumNames<RowLossKind> names_of(RowLossKind) {
  return {{RowLossKind::self_adversarial, "self_adversarial"},
          {RowLossKind::cross_entropy, "cross_entropy"},
          {RowLossKind::bce, "bce"},
          {RowLossKind::margin, "margin"}};
}

/// How models that have a vector for each entity and relation are trained.
struct TableTrainingConfig {
  TableTraining training = TableTraining::negative_sampling;
  RowLossKind loss = RowLossKind::cross_entropy;
  double offset = 0;
  double temperature = 1;
  std::int64_t negatives = 256;
  std::int64_t shared = 0;
  bool filtered = false;
  bool self_negative = false;
  ExampleWeighting weights = ExampleWeighting::evenly;
  double label_smoothing = 0;
  double entity_dropout = 0;
  double relation_dropout = 0;
  double candidate_dropout = 0;
  double entity_regulariser = 0;
  double relation_regulariser = 0;
  double regulariser_power = 3;
  double relation_prediction = 0;
  bool tf32 = false;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = TableTrainingConfig;
    field("training", &C::training,
          "negative_sampling: the answer against entities drawn at random; one_vs_all: against all entities; k_vs_all: "
          "every query once, with all its known answers, against all entities");
    field("loss", &C::loss, "self_adversarial and margin go with negative_sampling alone");
    field("offset", &C::offset,
          "added to scores under self_adversarial and bce (gamma of the distance models), or the margin of margin",
          Range{0, 1000});
    field("temperature", &C::temperature, "of the weights of self_adversarial; 0 weighs all negatives alike",
          Range{0, 100});
    field("negatives", &C::negatives, "entities drawn for each triple, or for those that share theirs",
          Range{1, 1 << 20});
    field("shared", &C::shared, "triples in a step that share their negatives; 0: each has its own", Range{0, 1 << 20});
    field("filtered", &C::filtered, "negatives that are known training answers are drawn again");
    field("self_negative", &C::self_negative,
          "the first negative of a query is its own head, which a distance else puts before most answers; not where "
          "that is a known answer, nor of relations that mostly hold both ways, where no translation could do "
          "otherwise");
    field("weights", &C::weights,
          "evenly: all triples count alike; by_query: those whose query has n training answers as 1 / sqrt(3 + n), so "
          "that a few queries with many answers are not all that counts; by_triple: likewise with the answers from "
          "both its ends; with negative_sampling alone");
    field("label_smoothing", &C::label_smoothing,
          "share of the labels spread over all entities, not with "
          "negative_sampling",
          Range{0, 0.99});
    field("entity_dropout", &C::entity_dropout, "share of the heads' numbers hidden while training", Range{0, 0.95});
    field("relation_dropout", &C::relation_dropout,
          "share of the relations' numbers hidden while training; not with rotate", Range{0, 0.95});
    field("candidate_dropout", &C::candidate_dropout,
          "share of the numbers of all entities hidden, as 0, while a query is held against them; the others are "
          "raised to make up for it; for products, and not with negative_sampling",
          Range{0, 0.95});
    field("entity_regulariser", &C::entity_regulariser,
          "weight of the mean over a step's triples of sum |x|^power of their head and tail", Range{0, 1000});
    field("relation_regulariser", &C::relation_regulariser, "likewise of their relation; not with rotate",
          Range{0, 1000});
    field("regulariser_power", &C::regulariser_power, "3 is the N3 norm; complex numbers count by their modulus",
          Range{1, 10});
    field("relation_prediction", &C::relation_prediction,
          "weight of the cross-entropy of a triple's relation among all, given head and tail; not with rotate",
          Range{0, 1000});
    field("tf32", &C::tf32,
          "on a GPU, scores of all entities while training from numbers of 10 bits behind the point, several times as "
          "fast for long vectors; ranks are always of whole ones");
  }

  /// An option that is set and means nothing to negatives that are drawn, or null.
  const char* needs_all_entities() const {
    return label_smoothing > 0     ? "label_smoothing"
           : candidate_dropout > 0 ? "candidate_dropout"
           : tf32                  ? "tf32"
                                   : nullptr;
  }
  RowLoss row_loss() const { return {loss, offset, temperature}; }
};

}  // namespace hasa
