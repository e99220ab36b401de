#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"

namespace hasa {

struct PlainAnswer {
  EntityId entity;
  float score;                 // as the model scores: a cosine, a dot product, or a negative distance
  std::optional<Split> known;  // the first split that has the link; none: it is new
};

/// How a triple does as an answer to one of the two questions it answers.
struct PlainStanding {
  PlainAnswer answer;
  std::int64_t rank;        // 1 + how many candidates score higher
  std::int64_t candidates;  // all entities but the other known answers; the head only where training has a loop
};

/// Answers (head, relation, ?) with a trained model; (?, relation, tail) is the same question asked with the
/// inverse relation.
class PlainPredictor {
 public:
  /// The graph must outlive the predictor.
  PlainPredictor(const Graph& graph, std::unique_ptr<Scorer> scorer);

  /// The `count` best answers, best first; among equals the lower entity number comes first. The head itself
  /// is no answer unless training has an entity that bears the relation to itself.
  std::vector<PlainAnswer> answers(EntityId head, RelationId directed_relation, std::int64_t count) const;

  /// Where `tail` stands among the answers to (head, directed_relation, ?).
  PlainStanding standing(EntityId head, RelationId directed_relation, EntityId tail) const;

 private:
  /// Of all entities, on the CPU.
  torch::Tensor scores(EntityId head, RelationId directed_relation) const;

  const Graph& graph_;
  std::unique_ptr<Scorer> scorer_;
};

}  // namespace hasa
