#include "hasa/kg/neighbours.h"

#include <algorithm>
#include <limits>

#include "hasa/base/error.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

constexpr std::size_t kEntitiesPerPart = 1024;

}  // namespace

Neighbours::Neighbours(const Adjacency& adjacency) {
  HASA_CHECK(adjacency.num_edges() <= std::numeric_limits<std::uint32_t>::max(), data,
             "{} training triples; neighbours are counted for fewer than 2^31", adjacency.num_edges() / 2);
  merge(adjacency);
  fill_bits();
}

void Neighbours::merge(const Adjacency& adjacency) {
  const auto entities = static_cast<std::size_t>(adjacency.entities());
  const std::span<const std::uint64_t> from = adjacency.offsets();
  offsets_.assign(entities + 1, 0);
  lists_.resize(adjacency.num_edges());
  parallel_for(entities, kEntitiesPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const auto own = static_cast<EntityId>(e);
      const auto first = lists_.begin() + static_cast<std::ptrdiff_t>(from[e]);
      auto last = first;
      for (const Edge& edge : adjacency.edges(own)) {
        if (edge.neighbour != own) *last++ = edge.neighbour;
      }
      std::sort(first, last);
      offsets_[e + 1] = static_cast<std::uint32_t>(std::unique(first, last) - first);
    }
  });
  // Each list moves down over the gaps that merging left before it.
  for (std::size_t e = 0; e < entities; ++e) {
    const auto source = lists_.begin() + static_cast<std::ptrdiff_t>(from[e]);
    std::copy(source, source + offsets_[e + 1], lists_.begin() + offsets_[e]);
    offsets_[e + 1] += offsets_[e];
  }
  lists_.resize(offsets_[entities]);
  lists_.shrink_to_fit();
}

void Neighbours::fill_bits() {
  const auto entities = static_cast<std::size_t>(this->entities());
  words_ = (entities + 63) / 64;
  bits_row_.assign(entities, kNoBits);
  std::uint32_t rows = 0;
  for (EntityId e = 0; e < this->entities(); ++e) {
    if (degree(e) > 0 && degree(e) >= words_) bits_row_[e] = rows++;
  }
  bits_.assign(rows * words_, 0);
  for (EntityId e = 0; e < this->entities(); ++e) {
    if (bits_row_[e] == kNoBits) continue;
    for (const EntityId n : of(e)) bits_[bits_row_[e] * words_ + n / 64] |= std::uint64_t{1} << (n % 64);
  }
}

bool Neighbours::search(EntityId entity, EntityId other) const {
  const std::span<const EntityId> list = of(entity);
  return std::binary_search(list.begin(), list.end(), other);
}

EntityId Neighbours::first_common(EntityId a, EntityId b) const {
  const EntityId shorter = degree(a) < degree(b) ? a : b, longer = degree(a) < degree(b) ? b : a;
  for (const EntityId n : of(shorter)) {
    if (contains(longer, n)) return n;
  }
  return -1;
}

std::size_t Neighbours::bytes() const {
  return offsets_.capacity() * sizeof(offsets_[0]) + lists_.capacity() * sizeof(lists_[0]) +
         bits_row_.capacity() * sizeof(bits_row_[0]) + bits_.capacity() * sizeof(bits_[0]);
}

}  // namespace hasa
