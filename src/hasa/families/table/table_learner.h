#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hasa/families/table/table_family.h"
#include "hasa/families/table/table_model.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/query_columns.h"
#include "hasa/negative/self_negatives.h"
#include "hasa/ops/table/draw_candidates.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/gradient_learner.h"
#include "hasa/train/prefetch.h"
#include "hasa/train/row_optimiser.h"

namespace hasa {

/// Trains TransE, DistMult, ComplEx and RotatE. Against sampled negatives the table of entities is touched only where a
/// step names its rows; against all entities it has a gradient like any other weight. Several processes have a share of
/// every step's triples, and either all tables each, where they exchange what changes the rows that were named, or a
/// shard of the entities (sharded_step.h).
class TableLearner : public GradientLearner {
 public:
  /// Throws unavailable if the tables do not fit the device's memory.
  TableLearner(const TableFamily& config, const TrainContext& context);

  Examples examples() const override {
    return {std::ssize(examples_), config_.tables.training == TableTraining::k_vs_all ? "queries" : "triples"};
  }
  TrainAdvice advice() const override;
  Parameters parameters() const override { return of_kind(ParameterKind::new_layer, model_.parameters()); }
  StepReport backward(std::int64_t step) override;
  void loaded() override {}
  std::unique_ptr<Scorer> scorer() const override;
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override;
  void help_save_model() const override;

 protected:
  std::unique_ptr<Optimiser> make_own_optimiser(const OptimiserConfig& config) override;

 private:
  /// A step's triples, and their known answers for filtered negatives and k_vs_all.
  struct Batch {
    QueryColumns columns;
    torch::Tensor weights;         // [batch] float32 summing to 1, if triples are weighted
    torch::Tensor self_negatives;  // [batch] int32, for self-negatives: the head or -1
    torch::Tensor known_places;    // of negatives that are filtered
    RaggedIds answers;             // of training, of this process's share of the rows
    std::uint64_t seed = 0;
    RowShare share;          // the rows that are this process's
    std::int64_t whole = 0;  // rows of all processes

    Batch to(const torch::Device& device) const;
  };
  /// Vectors of a batch that receive gradients.
  struct Rows {
    torch::Tensor heads, relations, tails;  // [batch, .]; tails only if needed
    torch::Tensor queries;                  // [batch, dim]
  };

  bool sampled() const { return config_.tables.training == TableTraining::negative_sampling; }
  Batch prepare(std::int64_t step);
  /// This process's rows of a batch, with weights that are parts of the whole batch's.
  Batch part_of(const Batch& whole) const;
  Rows rows_of(const Batch& batch) const;
  /// The same with the entities' vectors given.
  Rows rows_of(const Batch& batch, const torch::Tensor& heads, const torch::Tensor& tails) const;
  /// Dropout of the batch's rows: what it would be of the whole batch.
  torch::Tensor hidden_rows(const torch::Tensor& rows, double share, const Batch& batch) const;
  bool needs_tails() const;
  /// Regulariser and relation prediction; undefined if there are none.
  torch::Tensor further_loss(const Rows& rows, const Batch& batch) const;
  /// Propagates the queries' gradient, and that of further_loss, back to the rows they came from.
  void pull_back(const Rows& rows, const Batch& batch, const torch::Tensor& query_grad);
  torch::Tensor all_entities_step(const Rows& rows, const Batch& batch);
  struct SharedNegatives {
    std::int64_t together;  // triples of a group
    torch::Tensor ids;      // [groups, negatives] int32
  };
  SharedNegatives shared_negatives(const Batch& whole) const;
  /// The answer and its negatives, of a whole batch. [batch, 1 + negatives] int32
  torch::Tensor candidates_of(const Batch& whole) const;
  torch::Tensor own_negatives_step(const Rows& rows, const Batch& batch, const Batch& whole);
  torch::Tensor sharded_step(const Batch& batch, const Batch& whole);
  torch::Tensor shared_negatives_step(const Rows& rows, const Batch& batch);
  /// Leaves what came to the rows of a sampled step where the optimiser finds it. More ids and gradients may come
  /// along. Of several processes all get what all of them have.
  void leave_gradients(const Rows& rows, const Batch& whole, const SampledRows& sampled, const DirectRows& more);
  void leave_relation_gradient(const Rows& rows, const Batch& batch);

  TableFamily config_;
  std::uint64_t seed_;
  TableModel model_;
  std::optional<KnownAnswers> known_;  // of training, where they are needed
  std::optional<KnownIndex> index_;    // of them, where negatives are filtered
  std::optional<SelfNegatives> self_negatives_;
  std::vector<Triple> examples_;
  std::vector<float> weights_;  // weights of the examples; empty if all are equal
  RowGradients gradient_;
  BatchOrder order_;  // used by the prefetching thread
  Prefetch<Batch> ahead_;
};

}  // namespace hasa
