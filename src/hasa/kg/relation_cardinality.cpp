#include "hasa/kg/relation_cardinality.h"

#include "hasa/kg/known_answers.h"

namespace hasa {
namespace {

constexpr double kMany = 1.5;

}  // namespace

std::vector<Cardinality> relation_cardinalities(const Graph& graph) {
  const KnownAnswers known = KnownAnswers::of_training(graph);
  const auto directed = static_cast<std::size_t>(graph.num_directed_relations());
  std::vector<double> queries(directed, 0.0), answers(directed, 0.0);
  for (EntityId head = 0; head < graph.entities(); ++head) {
    for (const RelationId relation : known.relations_of(head)) {
      queries[static_cast<std::size_t>(relation)] += 1;
      answers[static_cast<std::size_t>(relation)] += static_cast<double>(known.tails(head, relation).size());
    }
  }
  std::vector<Cardinality> cardinalities;
  const auto relations = static_cast<std::size_t>(graph.relations());
  for (std::size_t r = 0; r < relations; ++r) {
    const bool many_tails = answers[r] >= kMany * queries[r];
    const bool many_heads = answers[r + relations] >= kMany * queries[r + relations];
    cardinalities.push_back(queries[r] == 0 ? Cardinality::not_in_training
                            : many_heads    ? (many_tails ? Cardinality::many_to_many : Cardinality::many_to_one)
                                            : (many_tails ? Cardinality::one_to_many : Cardinality::one_to_one));
  }
  return cardinalities;
}

const char* to_string(Cardinality cardinality) {
  switch (cardinality) {
    case Cardinality::one_to_one: return "1-1";
    case Cardinality::one_to_many: return "1-N";
    case Cardinality::many_to_one: return "N-1";
    case Cardinality::many_to_many: return "N-N";
    case Cardinality::not_in_training: return "not in training";
  }
  return "?";
}

}  // namespace hasa
