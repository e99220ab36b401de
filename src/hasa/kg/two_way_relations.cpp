#include "hasa/kg/two_way_relations.h"

namespace hasa {

std::vector<bool> two_way_relations(const Graph& graph, const KnownAnswers& of_training) {
  std::vector<std::int64_t> surplus(static_cast<std::size_t>(graph.relations()));
  for (const Triple& triple : graph.triples(Split::train)) {
    if (triple.head == triple.tail) continue;
    surplus[triple.relation] += of_training.contains(triple.tail, triple.relation, triple.head) ? 1 : -1;
  }
  std::vector<bool> two_way;
  for (const std::int64_t more : surplus) two_way.push_back(more > 0);
  return two_way;
}

}  // namespace hasa
