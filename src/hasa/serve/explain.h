#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "hasa/serve/predictor.h"
#include "hasa/serve/reasons.h"

namespace hasa {

class PathScorer;
class RuleBook;

/// How many reasons of each kind.
struct ReasonLimits {
  std::size_t rules = 5, paths = 4, facts = 5;
  std::size_t words = 32;  // of each text: the language model reads the text once for each of them
};

/// Finds reasons for answers. Rules are the run's own, or mined from its training triples when they are first needed:
/// seconds, once. Rules and nearest facts speak of training alone, paths of changes too. From several threads.
class Explainer {
 public:
  /// The run must outlive it.
  explicit Explainer(const ServedRun& run);
  ~Explainer();

  /// Why `answer` answers the question. Throws what Predictor::judgements throws.
  Reasons reasons(const LiveState& state, const Question& question, EntityId answer,
                  const ReasonLimits& limits = {}) const;
  /// Mines the rules now rather than then.
  void prepare() const;

 private:
  struct Mined;

  const RuleBook& rule_book() const;
  std::vector<RuleReason> rules(const Question& question, EntityId answer, std::size_t most) const;
  std::vector<PathReason> paths(const LiveState& state, const Question& question, EntityId answer,
                                std::size_t most) const;
  std::vector<FactReason> facts(const LiveState& state, const Question& question, EntityId answer,
                                std::size_t most) const;
  std::vector<WordReason> words(const LiveState& state, const Question& question, EntityId answer,
                                std::size_t most) const;
  /// Of the entity, or of the text where there is a reader: [dim]; undefined where the model has no vectors.
  torch::Tensor vector_of(const LiveState& state, const Given& given) const;

  const ServedRun& run_;
  const RuleBook* own_rules_;    // of the run or of a part of its fusion; null where it has none
  const PathScorer* own_paths_;  // likewise
  mutable std::once_flag mined_once_, norms_once_;
  mutable std::unique_ptr<const Mined> mined_;
  mutable torch::Tensor norms_;  // [entities] of the model's vectors
};

}  // namespace hasa
