#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hasa/base/thread_pool.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// Numbers gathered by head entity and sorted within each: what duplicates and known answers are found in.
struct HeadGroups {
  std::vector<std::uint64_t> offsets;  // head h has keys [offsets[h], offsets[h + 1])
  std::vector<std::uint64_t> keys;

  std::span<const std::uint64_t> of(EntityId head) const {
    return {keys.data() + offsets[head], static_cast<std::size_t>(offsets[head + 1] - offsets[head])};
  }
};

/// for_each(emit) calls emit(head, key) for all there is, the same each time; it is asked twice, to count
/// and to place. 8 bytes a key and 8 an entity, no more.
template <class ForEach>
HeadGroups group_by_head(EntityId entities, const ForEach& for_each) {
  HeadGroups groups;
  std::vector<std::uint64_t>& offsets = groups.offsets;
  offsets.assign(static_cast<std::size_t>(entities) + 1, 0);
  for_each([&](EntityId head, std::uint64_t) { ++offsets[head + 1]; });
  for (std::size_t e = 1; e < offsets.size(); ++e) offsets[e] += offsets[e - 1];
  groups.keys.resize(offsets.back());
  // Placing moves each offset to its group's end, which is the next group's beginning: shift them back.
  for_each([&](EntityId head, std::uint64_t key) { groups.keys[offsets[head]++] = key; });
  for (std::size_t e = offsets.size() - 1; e > 0; --e) offsets[e] = offsets[e - 1];
  offsets[0] = 0;
  parallel_for(static_cast<std::size_t>(entities), 1 << 12, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e)
      std::sort(groups.keys.begin() + static_cast<std::ptrdiff_t>(offsets[e]),
                groups.keys.begin() + static_cast<std::ptrdiff_t>(offsets[e + 1]));
  });
  return groups;
}

}  // namespace hasa
