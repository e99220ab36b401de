#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hasa/families/frozen/frozen_family.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/query_columns.h"
#include "hasa/negative/near_sampler.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/gradient_learner.h"
#include "hasa/train/prefetch.h"

namespace hasa {

/// Trains what stands on a frozen language model, with all entities as candidates or some of them, which come out of
/// one pass of the vector context, the batch's own edges left out for all of them alike (or by another EdgeRule).
/// Simple InfoNCE goes through the candidates in blocks; Hard and HaSa hold all scores of a batch. Of several processes
/// each asks its share of a batch's queries; all else is made by each of them whole.
class FrozenLearner : public GradientLearner {
 public:
  FrozenLearner(const FrozenFamily& config, const TextEmbeddings& texts, const TrainContext& context);

  Examples examples() const override { return {std::ssize(triples_)}; }
  TrainAdvice advice() const override {
    return {"a smaller train.batch", "a smaller optimiser.lr, or optimiser.clip=1",
            "a smaller model.scale, a greater train.batch, or a smaller optimiser.lr"};
  }
  Parameters parameters() const override;
  std::vector<std::string> metric_names() const override;
  StepReport backward(std::int64_t step) override;
  void loaded() override {}
  std::unique_ptr<Scorer> scorer() const override { return model_.scorer(); }
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override;

 private:
  /// The host's part of a step's inputs.
  struct Prepared {
    QueryColumns columns;
    RaggedIds known;           // of this process's share of the queries
    torch::Tensor keep;        // [training triples] bool: edges the context may read
    torch::Tensor true_pairs;  // [.] int64, query * batch + tail: tails that answer the query; for tail_to_query
    torch::Tensor near;  // [share, samples] int64 columns of N2(head), -1 for none; undefined unless the loss is HaSa
    // Where negatives.candidates are drawn; else undefined, and a column is an entity:
    torch::Tensor drawn;         // [columns] int64 entities
    torch::Tensor positive;      // [batch] int64 columns of the answers
    torch::Tensor no_negatives;  // [.] int64, query * columns + column
  };
  Prepared prepare(std::int64_t step);
  /// Positions in [batch, batch] where another query's tail is also an answer.
  torch::Tensor find_true_pairs(std::span<const Triple> batch) const;
  /// [batch * samples], -1 for none; empty unless the loss is HaSa.
  std::vector<EntityId> sample_near(std::span<const Triple> batch, std::int64_t step) const;
  void draw_candidates_of(std::span<const Triple> batch, std::span<const EntityId> near, std::int64_t step,
                          Prepared& prepared) const;
  /// From one pass over all entities, or where there is no context over those that the step needs.
  struct EntityVectors {
    torch::Tensor candidates;  // [columns, dim]
    torch::Tensor heads;       // [batch, dim]
  };
  EntityVectors vectors_of(const Prepared& step) const;
  /// Without the tails' term.
  ContrastiveLoss simple_loss(const Prepared& step, const torch::Tensor& queries, const torch::Tensor& entities,
                              const torch::Tensor& scale) const;
  ContrastiveLoss dense_loss(const ContrastiveConfig& config, const Prepared& step, const torch::Tensor& queries,
                             const torch::Tensor& entities) const;
  /// Of the tails, each asked from which query it comes.
  torch::Tensor tail_loss(const Prepared& step, const torch::Tensor& queries, const torch::Tensor& entities,
                          const torch::Tensor& scale) const;
  ContrastiveLoss loss_of(const Prepared& step, const torch::Tensor& queries, const torch::Tensor& entities) const;
  /// This process's part of the same, of several: their sum is the whole.
  ContrastiveLoss part_of_loss(const Prepared& step, const torch::Tensor& queries, const torch::Tensor& entities) const;

  const Graph& graph_;
  FrozenFamily config_;
  std::uint64_t seed_;
  FrozenModel model_;
  KnownAnswers known_;
  std::vector<std::vector<std::int64_t>> hidden_;  // of each training triple, those hidden with it; empty: itself alone
  std::optional<NearSampler> near_;
  std::vector<Triple> triples_;  // training triples, then their inverses in the same order
  BatchOrder order_;             // used by the prefetching thread
  Prefetch<Prepared> ahead_;
};

}  // namespace hasa
