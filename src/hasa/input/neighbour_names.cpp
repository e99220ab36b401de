#include "hasa/input/neighbour_names.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "hasa/kg/adjacency.h"

namespace hasa {
namespace {

/// Whether a text has fewer words, by the white space between them.
bool shorter_than(std::string_view text, std::size_t words) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space && !inside && ++count >= words) return false;
    inside = !space;
  }
  return count < words;
}

}  // namespace

NeighbourNames::NeighbourNames(const Graph& graph, std::size_t most, std::size_t below_words) : first_{0} {
  const Adjacency adjacency(graph);
  std::vector<EntityId> all;
  for (EntityId entity = 0; entity < graph.entities(); ++entity) {
    if (shorter_than(graph.entity_description(entity), below_words)) {
      all.clear();
      for (const Edge& edge : adjacency.edges(entity)) {
        if (edge.neighbour != entity) all.push_back(edge.neighbour);
      }
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      all.resize(std::min(all.size(), most));
      neighbours_.insert(neighbours_.end(), all.begin(), all.end());
    }
    first_.push_back(neighbours_.size());
  }
}

bool NeighbourNames::contains(EntityId entity, EntityId neighbour) const {
  const std::span<const EntityId> all = of(entity);
  return std::binary_search(all.begin(), all.end(), neighbour);
}

}  // namespace hasa
