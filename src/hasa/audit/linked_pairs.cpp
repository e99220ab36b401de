#include "hasa/audit/linked_pairs.h"

namespace hasa {

std::array<LinkedPairs, 3> count_linked_pairs(const Graph& graph, const TrainPairs& train) {
  std::array<LinkedPairs, 3> counts;
  for (const Split split : kSplits) {
    LinkedPairs& count = counts[static_cast<std::size_t>(split)];
    for (const Triple& t : graph.triples(split)) {
      std::size_t links = train.between(t.head, t.tail).size();
      if (t.head != t.tail) links += train.between(t.tail, t.head).size();
      if (train.contains(t.head, t.relation, t.tail)) --links;
      ++count.triples;
      count.linked += links > 0 ? 1 : 0;
    }
  }
  return counts;
}

}  // namespace hasa
