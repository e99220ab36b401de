#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/bootstrap.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/scorer.h"

// Triple classification: whether a triple is true, by its score and a threshold per relation
// that is chosen on validation. KG-BERT and LASS report it; it works with any scorer.

namespace hasa {

/// What replaces the head or tail of a true triple: any entity, or
/// one that occurs in training at that end of the relation, which is harder.
enum class FalseEnds { any, seen };

struct FalseTriplesConfig {
  FalseEnds ends = FalseEnds::any;
  std::uint64_t seed = 1;
};

/// A triple with a known label, and its score.
struct LabelledTriple {
  Triple triple;
  bool truth = true;
  std::uint32_t fact = 0;  // index of the split's triple it is, or was made from
  double score = 0;
};

/// The triples of a split, each followed by its corruption (negative/corruption.h), which is
/// in no split; if there is none, the triple stays alone. Corruptions depend
/// on the seed and the triple's index in the split. Scores are not filled.
std::vector<LabelledTriple> labelled_triples(const Graph& graph, Split split, const KnownAnswers& known,
                                             const FalseTriplesConfig& config);

/// Fills the scores: the mean of a triple's score as an answer to (h, r, ?) and as one to (?, r, t).
void score_triples(const Scorer& scorer, RelationId relations, std::vector<LabelledTriple>& triples);

/// The score from which a triple of a relation counts as true.
struct Threshold {
  double value = 0;
  std::int64_t triples =
      0;  // validation triples it was chosen on; 0: the relation has none, and uses the threshold of all relations
};

/// For each relation the threshold that classifies most of its triples correctly: the
/// midpoint between two neighbouring scores, or beyond them all; the lowest of several.
std::vector<Threshold> choose_thresholds(std::span<const LabelledTriple> validation, RelationId relations);

struct Accuracy {
  std::int64_t triples = 0;
  double accuracy = 0;
  Interval interval;         // a triple and its corruption are resampled together
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
  std::vector<OfRelation> relations;  // relations of the split, most triples first
};

Classification classify(std::span<const LabelledTriple> triples, std::span<const Threshold> thresholds,
                        const BootstrapOptions& bootstrap = {});

/// "one per triple, head or tail replaced by any entity, in none of the three splits; seed 1"
std::string to_string(const FalseTriplesConfig& config);

}  // namespace hasa
