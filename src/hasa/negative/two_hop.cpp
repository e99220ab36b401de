#include "hasa/negative/two_hop.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

constexpr std::size_t kCountedPerPart = 4096;
constexpr std::size_t kHeadsPerPart = 16;

}  // namespace

TwoHopSampler::TwoHopSampler(const Adjacency& adjacency) : neighbours_(adjacency), paths_(neighbours_.num_ends()) {
  parallel_for(static_cast<std::size_t>(neighbours_.entities()), kCountedPerPart,
               [this](std::size_t begin, std::size_t end) {
                 for (auto e = static_cast<EntityId>(begin); e < static_cast<EntityId>(end); ++e) {
                   // Distinct neighbours: the sum is at most num_ends(), which 32 bits hold.
                   std::uint32_t sum = 0, at = neighbours_.begin(e);
                   for (const EntityId n : neighbours_.of(e)) paths_[at++] = sum += neighbours_.degree(n);
                 }
               });
}

std::uint32_t TwoHopSampler::num_paths(EntityId head) const {
  const std::uint32_t degree = neighbours_.degree(head);
  return degree == 0 ? 0 : paths_[neighbours_.begin(head) + degree - 1];
}

EntityId TwoHopSampler::propose_path(EntityId head, Rng& rng) const {
  const auto path = static_cast<std::uint32_t>(rng.below(num_paths(head)));
  const std::span<const EntityId> near = neighbours_.of(head);
  const std::uint32_t* sums = paths_.data() + neighbours_.begin(head);
  const std::size_t place = std::upper_bound(sums, sums + near.size(), path) - sums;
  const EntityId over = near[place];
  const EntityId end = neighbours_.of(over)[path - (place == 0 ? 0 : sums[place - 1])];
  if (end == head) return over;
  if (neighbours_.contains(head, end)) return -1;
  return neighbours_.first_common(head, end) == over ? end : -1;
}

EntityId TwoHopSampler::propose_entity(EntityId head, Rng& rng) const {
  const auto entity = static_cast<EntityId>(rng.below(static_cast<std::uint64_t>(neighbours_.entities())));
  if (entity == head) return -1;
  const bool near = neighbours_.contains(head, entity) || neighbours_.first_common(head, entity) >= 0;
  return near ? entity : -1;
}

void TwoHopSampler::sample(std::span<const EntityId> heads, std::size_t count, std::uint64_t seed,
                           std::span<EntityId> samples, Proposal proposal) const {
  HASA_CHECK(samples.size() == heads.size() * count, shape, "two_hop: {} samples of {} heads do not fill {} places",
             count, heads.size(), samples.size());
  for (const EntityId head : heads) {
    HASA_CHECK(head >= 0 && head < neighbours_.entities(), shape, "two_hop: head {} is not among {} entities", head,
               neighbours_.entities());
  }
  parallel_for(heads.size(), kHeadsPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const EntityId head = heads[i];
      const std::span<EntityId> out = samples.subspan(i * count, count);
      if (neighbours_.degree(head) == 0) {
        std::fill(out.begin(), out.end(), -1);
        continue;
      }
      // One proposal costs about as much either way: on FB15k-237 half or twice the paths are no better a border.
      const bool few_paths = num_paths(head) < static_cast<std::uint32_t>(neighbours_.entities());
      const bool by_path = proposal == Proposal::paths || (proposal == Proposal::cheaper && few_paths);
      Rng rng(seed, "two_hop", i);
      for (EntityId& sample : out) {
        do sample = by_path ? propose_path(head, rng) : propose_entity(head, rng);
        while (sample < 0);
      }
    }
  });
}

}  // namespace hasa
