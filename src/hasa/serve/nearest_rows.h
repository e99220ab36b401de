#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "hasa/ops/score/similarity.h"
#include "hasa/serve/entity_index.h"

namespace hasa {

/// The best of many rows for each query, by looking at all of them a part at a time: rows(first, last) gives some as
/// float32 [last - first, dim]. What is held beside them are the scores of one part.
Nearest nearest_rows(const torch::Tensor& queries, std::int64_t size, std::int64_t k, Similarity similarity,
                     const std::function<torch::Tensor(std::int64_t first, std::int64_t last)>& rows);

}  // namespace hasa
