#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"

namespace hasa {

/// For each relation whether it holds both ways: more than half of its training triples are there with their ends
/// exchanged too, as of "similar to". A triple of an entity with itself counts for neither.
std::vector<bool> two_way_relations(const Graph& graph, const KnownAnswers& of_training);

/// Which queries have their own head as a negative. Of a relation that holds both ways none has: a translation r that
/// brings h near t and t near h can put no answer before the head. (A rotation by half a turn could; its heads are left
/// out there all the same.) Nor has a query that its head answers.
class SelfNegatives {
 public:
  /// Known answers of training; they must outlive it.
  SelfNegatives(const Graph& graph, const KnownAnswers& known)
      : two_way_(two_way_relations(graph, known)), known_(known) {}

  /// Of each directed triple its head, or -1.
  std::vector<std::int32_t> of(std::span<const Triple> queries) const;

 private:
  std::vector<bool> two_way_;
  const KnownAnswers& known_;
};

}  // namespace hasa
