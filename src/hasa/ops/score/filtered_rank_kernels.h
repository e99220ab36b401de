#pragma once

#include <cstdint>

namespace hasa::kernels {

/// What `better` says instead of a count when a query cannot be ranked.
constexpr std::int64_t kNoEntity = -1;    // its target, or a known answer, is no entity
constexpr std::int64_t kNotANumber = -2;  // one of its scores

struct RankPass {
  const float* scores;  // [queries, entities]
  std::int64_t queries, entities;
  const std::int64_t* targets;  // [queries]
  const std::int32_t* ids;      // known answers of query q: ids[begin[q] .. end[q])
  const std::int64_t *begin, *end;
  std::int64_t *better, *equal, *known_better, *known_equal;  // [queries], written
};

/// ops/score/filtered_rank.h, a block per query; reads every score once.
void filtered_rank_cuda(const RankPass& pass, void* stream);

}  // namespace hasa::kernels
