#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/kg/adjacency.h"
#include "hasa/model/scorer.h"
#include "hasa/negative/step_plan.h"

namespace hasa {

struct PairTermsConfig {
  bool links = false;
  bool frequency = false;

  bool any() const { return links || frequency; }

  template <class Visitor>
  static void fields(Visitor& field) {
    field("links", &PairTermsConfig::links,
          "add a learned weight for each training edge between the query's entity and a candidate, one for each "
          "relation asked and each relation of the edge; where a benchmark was made so that no test pair is linked, "
          "such as FB15k-237, this measures how it was made and nothing else");
    field("frequency", &PairTermsConfig::frequency,
          "add log(1 + how often the candidate answered the relation in training), times a learned weight of the "
          "relation");
  }
};

/// Summands of a matrix of scores: value times a learned weight, for the place row * columns + column.
struct PairTermEntries {
  std::vector<std::int64_t> places, weights;
  std::vector<float> values;
};

/// What a text model's score adds for a pair (query, candidate) beside how alike their texts are:
///
///   links       sum over the training edges (given, s, candidate) of  L[r, s]
///   frequency   F[r] log(1 + number of training triples (?, r, candidate))
///
/// r and s directed, an edge seen from the entity that is given. In training the triple that is asked for counts
/// neither as an edge nor in its answer's frequency, and nothing else is left out: a test pair's other edges can be
/// seen too. The weights are one vector, L by rows, then F.
class PairTerms {
 public:
  PairTerms(const PairTermsConfig& config, const Graph& graph);

  std::int64_t num_weights() const;
  /// All entities are candidates.
  PairTermEntries of_queries(std::span<const Query> queries) const;
  /// The columns of a training step are texts of these entities, an entity maybe more than once.
  PairTermEntries of_step(std::span<const StepTriple> batch, std::span<const EntityId> columns) const;

 private:
  struct Count {
    EntityId entity;
    std::int32_t times;
  };
  std::int64_t weight_of_link(RelationId asked, RelationId edge) const { return asked * directed_ + edge; }
  std::int64_t weight_of_frequency(RelationId asked) const {
    return (config_.links ? directed_ * directed_ : 0) + asked;
  }
  struct ColumnCount {
    std::int64_t column;
    std::int32_t times;
  };
  /// The columns whose entities have answered the relation.
  std::vector<ColumnCount> columns_answered(RelationId asked, std::span<const EntityId> columns) const;

  PairTermsConfig config_;
  std::int64_t entities_, directed_;
  Adjacency edges_;
  std::vector<std::vector<Count>> counts_;  // of each directed relation, by rising entity
};

/// Null where the config has none.
std::shared_ptr<const PairTerms> pair_terms(const PairTermsConfig& config, const Graph& graph);

/// The same as tensors, [entries] each.
struct PairTermTensors {
  torch::Tensor places, weights, values;

  PairTermTensors to(const torch::Device& device) const;
};
/// On the host, pinned for a GPU.
PairTermTensors tensors_of(const PairTermEntries& entries, const torch::Device& device);

/// The entries as a matrix, [rows, columns] float32. Differentiable in the weights.
torch::Tensor term_matrix(const torch::Tensor& weights, const PairTermTensors& entries, std::int64_t rows,
                          std::int64_t columns);

/// scale * the text scorer's scores + the terms. It has no vector that would give a score by itself, so it is no
/// VectorScorer.
class PairTermsScorer : public Scorer {
 public:
  PairTermsScorer(std::unique_ptr<VectorScorer> texts, std::shared_ptr<const PairTerms> terms,
                  const torch::Tensor& weights, double scale)
      : texts_(std::move(texts)), terms_(std::move(terms)), weights_(weights.detach().cpu().clone()), scale_(scale) {}

  std::int64_t num_entities() const override { return texts_->num_entities(); }
  torch::Device device() const override { return texts_->device(); }
  ScoringCost cost() const override;
  torch::Tensor scores(std::span<const Query> queries) const override;
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override;

 private:
  torch::Tensor terms(std::span<const Query> queries) const;

  std::unique_ptr<VectorScorer> texts_;
  std::shared_ptr<const PairTerms> terms_;
  torch::Tensor weights_;  // on the CPU, where they are always added up in the same order
  double scale_;
};

}  // namespace hasa
