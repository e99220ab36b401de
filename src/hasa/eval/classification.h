#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/bootstrap.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/scorer.h"

// Triple classification: whether a triple is true, by its score and a threshold for each relation that is chosen on
// validation. Half of what KG-BERT and LASS report; a scorer of any kind can be asked.

namespace hasa {

/// By what a false triple is made of a true one: any entity in the place of its head or tail, or one that some training
/// triple of the relation has at that end, which is harder to tell.
enum class FalseEnds { any, seen };

struct FalseTriplesConfig {
  FalseEnds ends = FalseEnds::any;
  std::uint64_t seed = 1;
};

/// A triple whose truth is known, and what a model makes of it.
struct LabelledTriple {
  Triple triple;
  bool truth = true;
  std::uint32_t fact = 0;  // which triple of the split it is, or was made of
  double score = 0;
};

/// The triples of a split, each followed by one that is made of it (negative/corruption.h) and is in no split; where
/// none can be made, the triple stays alone. What is made depends on the seed and the triple's place in the split.
/// Scores are not filled.
std::vector<LabelledTriple> labelled_triples(const Graph& graph, Split split, const KnownAnswers& known,
                                           const FalseTriplesConfig& config);

/// Fills the scores: the mean of a triple's score as an answer to (h, r, ?) and as one to (?, r, t).
void score_triples(const Scorer& scorer, RelationId relations, std::vector<LabelledTriple>& triples);

/// From which score on a triple of a relation counts as true.
struct Threshold {
  double value = 0;
  std::int64_t triples = 0;  // of validation that it was chosen on; 0: the relation has none, and takes that of all
};

/// For each relation the threshold that gets most of its triples right: one half way between two neighbouring scores,
/// or beyond them all; of several the lowest.
std::vector<Threshold> choose_thresholds(std::span<const LabelledTriple> validation, RelationId relations);

struct Accuracy {
  std::int64_t triples = 0;
  double accuracy = 0;
  Interval interval;         // a triple and what was made of it are drawn together
  double true_accepted = 0;  // of the true ones
  double false_refused = 0;  // of the false ones
};

struct Classification {
  struct OfRelation {
    RelationId relation = 0;
    Threshold threshold;
    Accuracy accuracy;
  };
  Accuracy all;
  std::vector<OfRelation> relations;  // that the split has, those of most triples first
};

Classification classify(std::span<const LabelledTriple> triples, std::span<const Threshold> thresholds,
                        const BootstrapOptions& bootstrap = {});

/// "of each triple one false, head or tail replaced by any entity, in none of the three splits; seed 1"
std::string to_string(const FalseTriplesConfig& config);

}  // namespace hasa
