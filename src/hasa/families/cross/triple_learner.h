#pragma once

#include <string>
#include <vector>

#include "hasa/families/cross/cross_config.h"
#include "hasa/families/cross/triple_model.h"
#include "hasa/families/cross/triple_scorer.h"
#include "hasa/kg/known_answers.h"
#include "hasa/negative/corruption.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/gradient_learner.h"
#include "hasa/train/prefetch.h"
#include "hasa/train/train_context.h"

namespace hasa {

/// Trains a language model to classify triples as true or corrupted, each read as one text:
///
///   loss = mean over the step's triples, true (y = 1) and false (y = 0), of
///          softplus(-logit) for y = 1, softplus(logit) for y = 0
///
/// Several processes read a share of the triples each.
class TripleLearner : public GradientLearner {
 public:
  struct Options {
    CorruptionConfig negatives;
    CrossOptimiserConfig optimiser;
    CrossScheduleConfig train;
  };
  TripleLearner(const Options& options, TripleModel model, TextInputs inputs, const TrainContext& context);

  Examples examples() const override { return {std::ssize(graph_.triples(Split::train))}; }
  TrainAdvice advice() const override {
    return {"train.chunk_tokens=8192 (the same result in less memory), or a smaller text.max_tokens",
            "a smaller optimiser.language_model_lr or optimiser.lr, or optimiser.clip=1",
            "a smaller optimiser.language_model_lr"};
  }
  Parameters parameters() const override { return model_.parameters(); }
  /// accurate: the fraction of the step that is classified correctly.
  std::vector<std::string> metric_names() const override { return {"accurate"}; }
  StepReport backward(std::int64_t step) override;
  void loaded() override { model_.publish(); }
  std::unique_ptr<Scorer> scorer() const override {
    return std::make_unique<TripleScorer>(model_, inputs_, graph_.relations());
  }
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override {
    model_.save(folder, about);
  }

 protected:
  void parameters_changed() override { model_.publish(); }

 private:
  /// A micro-batch, on the host until taken; of several processes, this one's share of it.
  struct Portion {
    PackedTokens triples;
    torch::Tensor truth;  // [own]: of the triples that count, the first ones
  };
  struct Step {
    std::vector<Portion> portions;
    std::int64_t triples = 0, tokens = 0;  // of all processes
  };
  /// Runs on the prefetching thread.
  Step prepare(std::int64_t step);

  Options options_;
  std::uint64_t seed_;
  const Graph& graph_;
  TripleModel model_;
  TextInputs inputs_;
  KnownAnswers known_;
  BatchOrder order_;  // used by the prefetching thread
  Prefetch<Step> ahead_;
};

}  // namespace hasa
