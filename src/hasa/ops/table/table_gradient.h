#pragma once

#include <torch/types.h>

namespace hasa {

/// The gradient of a table of `entries` rows from which token t took row ids[t]:
///
///   out[e] = sum over tokens t with ids[t] == e of rows[t]
///
/// rows [tokens, width], out [entries, width] of its dtype; ids [tokens] int64 below `entries`; a token with a negative
/// id took no row. Sums are float32, in order
/// of the tokens within chunks, and the same from run to run however often an id occurs. No autograd.
///
/// CUDA, float32 and bfloat16, widths that are multiples of 8 up to 4096: a sort of the ids and two passes of our
/// own. All else: torch's embedding gradient.
torch::Tensor table_gradient(const torch::Tensor& rows, const torch::Tensor& ids, std::int64_t entries);

/// The obvious loop in double, on the CPU.
torch::Tensor table_gradient_reference(const torch::Tensor& rows, const torch::Tensor& ids, std::int64_t entries);

}  // namespace hasa
