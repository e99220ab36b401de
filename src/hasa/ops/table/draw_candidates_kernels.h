#pragma once

#include <cstdint>

#include "hasa/ops/core/philox.h"

namespace hasa::kernels {

struct DrawCandidates {
  std::int64_t queries, columns;  // columns: the answer and its rivals
  std::uint32_t entities;
  std::uint64_t seed;
  const std::int64_t* answers;  // [queries]
  const std::int32_t* tails;    // or null, with begin and end
  const std::int64_t* begin;    // [queries]
  const std::int64_t* end;
  std::int32_t* out;  // [queries, columns]
};
void draw_candidates_cuda(const DrawCandidates& pass, void* stream);

HASA_HOST_DEVICE inline bool is_known(const DrawCandidates& pass, std::int64_t query, std::int32_t entity) {
  std::int64_t low = pass.begin[query], high = pass.end[query];
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (pass.tails[middle] < entity) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < pass.end[query] && pass.tails[low] == entity;
}

/// The candidate of one cell.
HASA_HOST_DEVICE inline std::int32_t candidate_of(const DrawCandidates& pass, std::int64_t query, std::int64_t column) {
  if (column == 0) return static_cast<std::int32_t>(pass.answers[query]);
  const auto cell = static_cast<std::uint64_t>(query * pass.columns + column);
  std::int32_t entity = 0;
  for (std::uint64_t round = 0; round < 2; ++round) {  // of four draws each
    const EightDraws draws = philox(cell | (round << 63), pass.seed);
    for (const std::uint32_t word : draws.words) {
      entity = static_cast<std::int32_t>((static_cast<std::uint64_t>(word) * pass.entities) >> 32);
      if (pass.tails == nullptr || !is_known(pass, query, entity)) return entity;
    }
  }
  return entity;
}

}  // namespace hasa::kernels
