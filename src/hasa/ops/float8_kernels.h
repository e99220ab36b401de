#pragma once

#include <cstdint>

namespace hasa::kernels {

/// to[i] = from[i] / scale[0] in 8 bits, saturating; from: bfloat16 on 16 bytes, count a multiple of 8.
void to_float8_cuda(const void* from, std::int64_t count, const float* scale, bool e5m2, void* to, void* stream);

}  // namespace hasa::kernels
