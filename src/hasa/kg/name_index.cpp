#include "hasa/kg/name_index.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/fold_case.h"
#include "hasa/kg/vocabulary.h"

namespace hasa {

NameIndex NameIndex::build(EntityId entities, const NameOf& name_of) {
  std::vector<std::uint64_t> entries(static_cast<std::size_t>(entities));
  parallel_for(entries.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const std::uint64_t hash = Vocabulary::hash(fold_case(name_of(static_cast<EntityId>(e))));
      entries[e] = (hash << 32) | e;
    }
  });
  std::sort(entries.begin(), entries.end());
  NameIndex index;
  index.entries_ = std::move(entries);
  return index;
}

NameIndex NameIndex::view(std::span<const std::uint64_t> entries, EntityId entities, std::string_view where) {
  HASA_CHECK(entries.size() == static_cast<std::size_t>(entities), data,
             "{} is damaged: {} entries in the index of names for {} entities", where, entries.size(), entities);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t entity = entries[i] & 0xFFFFFFFFU;
    HASA_CHECK(entity < entries.size() && (i == 0 || entries[i - 1] < entries[i]), data,
               "{} is damaged: entry {} of the index of names", where, i);
  }
  NameIndex index;
  index.entries_ = StoredArray<std::uint64_t>::viewing(entries);
  return index;
}

std::vector<EntityId> NameIndex::candidates(std::string_view name) const {
  const auto entries = entries_.span();
  const std::uint32_t hash = Vocabulary::hash(fold_case(name));
  auto at = std::lower_bound(entries.begin(), entries.end(), std::uint64_t{hash} << 32);
  std::vector<EntityId> found;
  for (; at != entries.end() && hash_of(*at) == hash; ++at) found.push_back(entity_of(*at));
  return found;
}

}  // namespace hasa
