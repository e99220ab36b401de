#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/ranked_query.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/scorer.h"

namespace hasa {

enum class ExampleKind : std::uint8_t { best, typical, worst };

/// A query chosen as an example, by its index in the list.
struct ChosenQuery {
  ExampleKind kind;
  std::size_t index;
};

/// A few queries with the best, median and worst realistic ranks. Those of
/// equal rank are spread over the split; of the worst, at most two
/// have the same relation and direction. The same ranks give the same choice.
std::vector<ChosenQuery> choose_examples(std::span<const RankedQuery> ranked, std::size_t of_each = 5);

/// A query in readable form.
struct ExampleQuery {
  ExampleKind kind;
  std::string asked;                   // "(beagle, hypernym, ?)"
  std::string answer;                  // the name of the right answer
  double rank = 0;
  std::vector<std::string> predicted;  // the names ranked first, other known answers filtered
};

/// Asks the chosen queries again for the names the model ranks first.
std::vector<ExampleQuery> example_queries(const Scorer& scorer, const Graph& graph, const KnownAnswers& known,
                                          std::span<const RankedQuery> ranked);

}  // namespace hasa
