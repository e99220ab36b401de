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
enum class TableSharding : std::uint8_t { automatic, always, never };
inline EnumNames<TableSharding> names_of(TableSharding) {
  return {{TableSharding::automatic, "auto"}, {TableSharding::always, "always"}, {TableSharding::never, "never"}};
}
inline EnumNames<RowLossKind> names_of(RowLossKind) {
  return {{RowLossKind::self_adversarial, "self_adversarial"},
          {RowLossKind::cross_entropy, "cross_entropy"},
          {RowLossKind::bce, "bce"},
          {RowLossKind::margin, "margin"}};
}

/// Training options of models with a vector per entity and relation.
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
  TableSharding sharded = TableSharding::automatic;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = TableTrainingConfig;
    field("training", &C::training,
          "negative_sampling: the answer against random entities; one_vs_all: against all entities; k_vs_all: every "
          "query once, with all its known answers, against all entities");
    field("loss", &C::loss, "the loss; self_adversarial and margin only with negative_sampling");
    field("offset", &C::offset,
          "added to scores with self_adversarial and bce (gamma of the distance models), or the margin of the margin "
          "loss",
          Range{0, 1000});
    field("temperature", &C::temperature, "temperature of self_adversarial's weights; 0 weighs all negatives equally",
          Range{0, 100});
    field("negatives", &C::negatives, "negatives per triple, or per group of triples that share them",
          Range{1, 1 << 20});
    field("shared", &C::shared, "number of triples that share their negatives; 0: each has its own", Range{0, 1 << 20});
    field("filtered", &C::filtered, "redraw negatives that are known training answers");
    field("self_negative", &C::self_negative,
          "the first negative of a query is its own head, which a distance would otherwise rank before most answers; "
          "not if it is a known answer, nor for mostly symmetric relations, for which no translation could avoid it");
    field("weights", &C::weights,
          "weights of the triples: evenly: equal; by_query: 1 / sqrt(3 + n) if the query has n training answers, so "
          "that a few queries with many answers do not dominate; by_triple: the same with the answers of both "
          "directions; only with negative_sampling");
    field("label_smoothing", &C::label_smoothing,
          "fraction of the labels spread over all entities; not with negative_sampling", Range{0, 0.99});
    field("entity_dropout", &C::entity_dropout, "dropout probability of the heads' vectors", Range{0, 0.95});
    field("relation_dropout", &C::relation_dropout, "dropout probability of the relations' vectors; not with rotate",
          Range{0, 0.95});
    field("candidate_dropout", &C::candidate_dropout,
          "dropout probability of the candidates' vectors; only for dot products, and not with negative_sampling",
          Range{0, 0.95});
    field("entity_regulariser", &C::entity_regulariser,
          "weight of the entity regulariser: sum |x|^power over head and tail, averaged over a step's triples",
          Range{0, 1000});
    field("relation_regulariser", &C::relation_regulariser,
          "weight of the same regulariser of the relation; not with rotate", Range{0, 1000});
    field("regulariser_power", &C::regulariser_power,
          "power of the regularisers: 3 is N3; complex numbers count by their modulus", Range{1, 10});
    field("relation_prediction", &C::relation_prediction,
          "weight of relation prediction: the cross-entropy of a triple's relation among all, given head and tail; not "
          "with rotate",
          Range{0, 1000});
    field("tf32", &C::tf32,
          "on a GPU, compute training scores against all entities in TF32, several times as fast for long vectors; "
          "ranking never uses it");
    field("sharded", &C::sharded,
          "in several processes, whether each keeps only its shard of the entities' vectors and of their optimiser "
          "state, instead of all of them; auto: if they do not fit the memory otherwise; only with negative_sampling");
  }

  /// An option that is set but has no effect with sampled negatives, or null.
  const char* needs_all_entities() const {
    return label_smoothing > 0     ? "label_smoothing"
           : candidate_dropout > 0 ? "candidate_dropout"
           : tf32                  ? "tf32"
                                   : nullptr;
  }
  RowLoss row_loss() const { return {loss, offset, temperature}; }
};

}  // namespace hasa
