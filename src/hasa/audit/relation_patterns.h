#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/audit/train_pairs.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// A relation that follows from another: where `body` leads from x to y in training, `head` leads from y to x
/// (inverse; symmetric when both are one), or from x to y too (equivalent).
struct RelationRule {
  RelationId head, body;
  bool inverse;
  std::uint64_t support = 0;     ///< training triples of `body` whose conclusion is in training as well
  double confidence = 0;         ///< support by all training triples of `body`
  std::uint64_t gives_away = 0;  ///< test triples of `head` that follow from a training triple of `body`
};

/// A relation that links nearly every one of its heads to every one of its tails, so that the answer is known from
/// the ends alone.
struct CartesianRelation {
  RelationId relation;
  std::uint64_t heads, tails, triples;  ///< distinct, in training
  std::uint64_t test;                   ///< test triples of it
};

struct RelationPatterns {
  std::vector<RelationRule> rules;  ///< by falling number of test triples given away, then by support
  std::vector<CartesianRelation> cartesian;
  /// Test triples that follow from a training triple by some rule between two relations; each counts once.
  std::uint64_t inverse_test = 0, equivalent_test = 0;
};

struct PatternOptions {
  double confidence = 0.5;             ///< least of a rule
  std::uint64_t support = 3;           ///< least of a rule
  double cartesian = 0.8;              ///< least fraction of all pairs that are linked
  std::uint64_t cartesian_pairs = 16;  ///< fewer pairs than that may be full by chance
};

RelationPatterns find_relation_patterns(const Graph& graph, const TrainPairs& train,
                                        const PatternOptions& options = {});

/// Every rule that was met at all, with its confidence, for answering queries by them; see trivial_rules.h.
std::vector<RelationRule> all_relation_rules(const Graph& graph, const TrainPairs& train);

}  // namespace hasa
