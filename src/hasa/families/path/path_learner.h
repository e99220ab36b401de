#pragma once

#include <string>
#include <vector>

#include "hasa/families/path/path_examples.h"
#include "hasa/families/path/path_family.h"
#include "hasa/families/path/path_model.h"
#include "hasa/train/batch_order.h"
#include "hasa/train/gradient_learner.h"
#include "hasa/train/prefetch.h"

namespace hasa {

/// Trains a path model. An example is a distinct query with some of its answers (PathExampleSource).
class PathLearner : public GradientLearner {
 public:
  PathLearner(const PathFamily& config, const TrainContext& context);
  /// With a model that reads texts too.
  PathLearner(const PathFamily& config, PathModel model, const TrainContext& context);

  Examples examples() const override { return {source_.size(), "queries"}; }
  TrainAdvice advice() const override;
  Parameters parameters() const override { return of_kind(ParameterKind::new_layer, model_.parameters()); }
  std::vector<std::string> metric_names() const override { return {"reached"}; }
  StepReport backward(std::int64_t step) override;
  void loaded() override {}
  std::unique_ptr<Scorer> scorer() const override;
  void save_model(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const override;

 private:
  /// The host's part of a step, as in PathExamples and ScoredPaths. Of several processes each has its share of the
  /// queries, and the hidden triples of all.
  struct Prepared {
    torch::Tensor heads, relations, query_of_answer, answers, negatives, hidden, known;
    double fraction = 1;  // of all answers
  };
  Prepared prepare(std::int64_t step);

  PathFamily config_;
  std::uint64_t seed_;
  std::int64_t entities_;
  PathModel model_;
  PathGraph graph_;
  PathExampleSource source_;
  BatchOrder order_;  // used by the prefetching thread
  Prefetch<Prepared> ahead_;
};

}  // namespace hasa
