#include "hasa/negative/near_sampler.h"

#include <algorithm>
#include <cmath>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr double kStop = 0.15;

/// What all paths from a head over a neighbour of this degree count for: degree - 1 of them lead elsewhere.
double weight_of(std::uint32_t degree, NearMeasure measure) {
  if (degree < 2) return 0;
  return (degree - 1) / (measure == NearMeasure::adamic_adar ? std::log(degree) : 1.0);
}

}  // namespace

NearSampler::NearSampler(const Adjacency& adjacency, NearMeasure measure) : measure_(measure) {
  if (measure == NearMeasure::paths) {
    two_hop_.emplace(adjacency);
    return;
  }
  neighbours_.emplace(adjacency);
  if (measure == NearMeasure::page_rank) return;
  weights_.reserve(neighbours_->num_ends());
  for (EntityId e = 0; e < neighbours_->entities(); ++e) {
    double sum = 0;
    for (const EntityId n : neighbours_->of(e)) weights_.push_back(sum += weight_of(neighbours_->degree(n), measure));
  }
}

EntityId NearSampler::over_a_neighbour(EntityId head, Rng& rng) const {
  const std::span<const EntityId> near = neighbours_->of(head);
  const double* sums = weights_.data() + neighbours_->begin(head);
  if (near.empty() || sums[near.size() - 1] == 0) return -1;
  // Rounding must not lead past the last neighbour that has a weight.
  const double place = std::min(rng.uniform() * sums[near.size() - 1], std::nextafter(sums[near.size() - 1], 0.0));
  const auto over = near[static_cast<std::size_t>(std::upper_bound(sums, sums + near.size(), place) - sums)];
  const std::span<const EntityId> next = neighbours_->of(over);
  const auto own = static_cast<std::uint64_t>(std::ranges::lower_bound(next, head) - next.begin());
  const std::uint64_t drawn = rng.below(next.size() - 1);
  return next[drawn < own ? drawn : drawn + 1];
}

EntityId NearSampler::by_walking(EntityId head, Rng& rng) const {
  if (neighbours_->degree(head) == 0) return -1;
  for (;;) {  // a walk ends away from the head with probability .85 * .15 at least
    EntityId at = head;
    while (rng.uniform() >= kStop) {
      const std::span<const EntityId> next = neighbours_->of(at);
      at = next[rng.below(next.size())];
    }
    if (at != head) return at;
  }
}

void NearSampler::sample(std::span<const EntityId> heads, std::size_t count, std::uint64_t seed,
                         std::span<EntityId> samples) const {
  if (two_hop_) return two_hop_->sample(heads, count, seed, samples);
  HASA_CHECK(samples.size() == heads.size() * count, shape, "near: {} samples of {} heads do not fill {} places", count,
             heads.size(), samples.size());
  for (std::size_t i = 0; i < heads.size(); ++i) {
    HASA_CHECK(heads[i] >= 0 && heads[i] < neighbours_->entities(), shape, "near: head {} is not among {} entities",
               heads[i], neighbours_->entities());
    Rng rng(seed, "near", i);
    for (EntityId& sample : samples.subspan(i * count, count))
      sample = measure_ == NearMeasure::page_rank ? by_walking(heads[i], rng) : over_a_neighbour(heads[i], rng);
  }
}

}  // namespace hasa
