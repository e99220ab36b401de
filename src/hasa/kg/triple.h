#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace hasa {

using EntityId = std::int32_t;
using RelationId = std::int32_t;

struct Triple {
  EntityId head;
  RelationId relation;
  EntityId tail;

  auto operator<=>(const Triple&) const = default;
};
static_assert(sizeof(Triple) == 12, "triples are mapped from files as they are");

/// With R relations, directed relation r + R is the inverse of r, and r the inverse of r + R.
inline RelationId inverse(RelationId relation, RelationId relations) {
  return relation < relations ? relation + relations : relation - relations;
}

/// The same fact asked from its other end.
inline Triple inverse(const Triple& triple, RelationId relations) {
  return {triple.tail, inverse(triple.relation, relations), triple.head};
}

/// The triples, then the same facts asked from their other ends in the same order: i and i + triples.size() are one.
inline std::vector<Triple> with_inverses(std::span<const Triple> triples, RelationId relations) {
  std::vector<Triple> both;
  both.reserve(2 * triples.size());
  both.assign(triples.begin(), triples.end());
  for (const Triple& triple : triples) both.push_back(inverse(triple, relations));
  return both;
}

enum class Split : std::uint8_t { train, valid, test };
constexpr std::array<Split, 3> kSplits = {Split::train, Split::valid, Split::test};

inline const char* to_string(Split split) {
  return split == Split::train ? "train" : split == Split::valid ? "valid" : "test";
}

}  // namespace hasa
