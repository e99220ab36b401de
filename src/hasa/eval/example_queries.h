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

/// A query that stands for others: by its place in the list it was chosen from.
struct ChosenQuery {
  ExampleKind kind;
  std::size_t index;
};

/// A few queries whose answers came out best, in the middle and worst, by realistic rank. Those of equal rank are
/// taken from all over the split; of the worst no more than two ask the same relation the same way. The same ranks
/// give the same choice.
std::vector<ChosenQuery> choose_examples(std::span<const RankedQuery> ranked, std::size_t of_each = 5);

/// A query as a reader sees it.
struct ExampleQuery {
  ExampleKind kind;
  std::string asked;                   // "(beagle, hypernym, ?)"
  std::string answer;                  // the name of the entity that would have been right
  double rank = 0;                     // where it came out
  std::vector<std::string> predicted;  // the names that came first, other known answers left out
};

/// The chosen queries asked again for the names of what the model put first.
std::vector<ExampleQuery> example_queries(const Scorer& scorer, const Graph& graph, const KnownAnswers& known,
                                          std::span<const RankedQuery> ranked);

}  // namespace hasa
