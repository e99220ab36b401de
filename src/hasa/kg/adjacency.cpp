#include "hasa/kg/adjacency.h"

#include <limits>

#include "hasa/base/error.h"

namespace hasa {

Adjacency::Adjacency(const Graph& graph)
    : Adjacency(graph.triples(Split::train), graph.entities(), graph.relations()) {}

Adjacency::Adjacency(std::span<const Triple> triples, EntityId entities, RelationId relations)
    : offsets_(static_cast<std::size_t>(entities) + 1, 0), edges_(2 * triples.size()) {
  HASA_CHECK(triples.size() <= std::numeric_limits<std::uint32_t>::max(), data,
             "{} training triples; at most 2^32 - 1 can be told apart", triples.size());
  for (const Triple& triple : triples) {
    ++offsets_[triple.head + 1];
    ++offsets_[triple.tail + 1];
  }
  for (std::size_t e = 1; e < offsets_.size(); ++e) offsets_[e] += offsets_[e - 1];
  // Placing moves each offset to its entity's end, which is the next one's beginning: shift them back.
  for (std::size_t i = 0; i < triples.size(); ++i) {
    const Triple& triple = triples[i];
    const auto number = static_cast<std::uint32_t>(i);
    edges_[offsets_[triple.head]++] = {triple.relation, triple.tail, number};
    edges_[offsets_[triple.tail]++] = {inverse(triple.relation, relations), triple.head, number};
  }
  for (std::size_t e = offsets_.size() - 1; e > 0; --e) offsets_[e] = offsets_[e - 1];
  offsets_[0] = 0;
}

}  // namespace hasa
