#pragma once

#include <torch/types.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "hasa/families/cross/triple_model.h"
#include "hasa/input/text_inputs.h"
#include "hasa/model/scorer.h"
#include "hasa/nn/frozen_encoder.h"

namespace hasa {

/// Encodes every candidate of a query as a separate triple: no entity has a vector, and a
/// query takes as many passes of the language model as there are candidates. (?, r, t) scores
/// the same triples as (h, r, ?), so a triple has the same score in both directions.
///
/// Candidates are packed without padding, in batches that depend on the query alone: scores do
/// not depend on how many queries are scored together, or on where an evaluation was
/// interrupted. (Single candidates of many queries, as in triple classification, share batches.) A triple's score
/// is that of the triple encoded alone within rounding: attention stays within a text and
/// is bidirectional, so the candidates of a query share nothing that could be computed once.
class TripleScorer : public Scorer {
 public:
  /// To be used before the next training step. `relations`: their number, without inverses.
  TripleScorer(TripleModel model, TextInputs inputs, RelationId relations);

  std::int64_t num_entities() const override { return static_cast<std::int64_t>(inputs_.entities()); }
  torch::Device device() const override { return model_.device(); }
  /// Its seconds are measured on some batches at the first call.
  ScoringCost cost() const override;
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;

 private:
  /// In the order given: [triples] on the device.
  torch::Tensor score(std::span<const Triple> triples) const;
  torch::Tensor score_batch(std::span<const Triple> triples) const;
  std::vector<std::span<const Triple>> batches_of(std::span<const Triple> triples) const;
  std::int64_t length_of(const Triple& triple) const;
  Triple triple_of(const Query& query, EntityId candidate) const;
  double mean_tokens() const;
  double measured_seconds_per_token() const;

  TripleModel model_;
  TextInputs inputs_;
  RelationId relations_;
  FrozenEncoder encoder_;                // prepared once for all queries
  std::vector<std::int64_t> lengths_;    // tokens of each entity's text by itself
  std::vector<std::int64_t> overheads_;  // per relation: the tokens of its triples besides those of head and tail
  std::vector<EntityId> longest_first_;  // all entities
  torch::Tensor order_;                  // the same on the device, [entities] int64
  std::int64_t tokens_per_batch_;
  mutable std::once_flag measured_;
  mutable double seconds_per_token_ = 0;
};

}  // namespace hasa
