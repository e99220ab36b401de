#pragma once

#include <cstdint>

namespace hasa::kernels {

/// The most that top_keys_cuda finds of a row.
constexpr std::int64_t kMostOnCuda = 16;

/// Scores [rows, columns] of the entities ids[offsets[row] .. offsets[row + 1]) become NaN, where column 0 is the
/// entity first_entity; ids of other entities are passed over.
void leave_out_cuda(float* scores, std::int64_t rows, std::int64_t columns, std::int64_t first_entity,
                    const std::int64_t* ids, const std::int64_t* offsets, void* stream);

/// keys [rows, k]: of each row of scores the k greatest, as top_entities_kernels.h has them; k <= kMostOnCuda.
void top_keys_cuda(const float* scores, std::int64_t rows, std::int64_t columns, std::int64_t first_entity,
                   std::int64_t k, std::int64_t* keys, void* stream);

/// The entities of keys, -1 for no key.
void ids_of_cuda(const std::int64_t* keys, std::int64_t count, std::int64_t* ids, void* stream);

}  // namespace hasa::kernels
