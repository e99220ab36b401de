#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"

namespace hasa {

/// For each relation, whether it is mostly symmetric: more than half of its training triples
/// also occur with head and tail exchanged, as for "similar to". Loops are not counted.
std::vector<bool> two_way_relations(const Graph& graph, const KnownAnswers& of_training);

/// Which queries have their own head as a negative. Not those of a symmetric relation: a translation r
/// that brings h near t and t near h cannot rank an answer before the head. (A rotation
/// by half a turn could; heads are left out for it too.) Nor a query that its head answers.
class SelfNegatives {
 public:
  /// Known answers of training; they must outlive it.
  SelfNegatives(const Graph& graph, const KnownAnswers& known)
      : two_way_(two_way_relations(graph, known)), known_(known) {}

  /// The head of each directed triple, or -1.
  std::vector<std::int32_t> of(std::span<const Triple> queries) const;

 private:
  std::vector<bool> two_way_;
  const KnownAnswers& known_;
};

}  // namespace hasa
