#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "hasa/kg/stored_array.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// From a name to the entities that bear it. One number an entity: the hash of its name without case above
/// its id, sorted; so equal names are neighbours, and the index can be mapped. Whoever looks a name up
/// compares the names themselves, since two may share a hash.
class NameIndex {
 public:
  using NameOf = std::function<std::string_view(EntityId)>;

  NameIndex() = default;
  static NameIndex build(EntityId entities, const NameOf& name_of);
  /// Throws data unless each of the entities is there and the entries are sorted.
  static NameIndex view(std::span<const std::uint64_t> entries, EntityId entities, std::string_view where);

  /// Entities whose name may be this one in any case, by rising id.
  std::vector<EntityId> candidates(std::string_view name) const;

  std::span<const std::uint64_t> entries() const { return entries_.span(); }
  static std::uint32_t hash_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }
  static EntityId entity_of(std::uint64_t entry) { return static_cast<EntityId>(entry & 0xFFFFFFFFU); }

 private:
  StoredArray<std::uint64_t> entries_;
};

}  // namespace hasa
