#pragma once

#include <torch/types.h>

#include <cstdint>

#include "hasa/ops/core/ragged_ids.h"

namespace hasa {

/// An answer and n entities drawn for it, for each query: column 0 is answers[i], the others are uniform over all
/// entities, with replacement.
///
/// answers [q] int64. -> [q, 1 + n] int32 on their device. Where `known` is defined, rows of rising ids, a draw that is
/// a known answer is made again, up to eight times: of a query that nearly every entity answers, the last draw stands.
/// What is drawn depends on the seed, the place and the number of entities alone, and is the same on every device. A
/// draw is the upper part of a 32-bit product, so that of a million entities some are likelier than others by one in
/// 4,000.
torch::Tensor draw_candidates(const torch::Tensor& answers, std::int64_t n, std::int64_t entities, std::uint64_t seed,
                              const IdRanges& known = {});

/// The obvious loop, on the CPU.
torch::Tensor draw_candidates_reference(const torch::Tensor& answers, std::int64_t n, std::int64_t entities,
                                        std::uint64_t seed, const IdRanges& known = {});

}  // namespace hasa
