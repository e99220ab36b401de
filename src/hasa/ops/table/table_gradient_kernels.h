#pragma once

#include <cstdint>

namespace hasa::kernels {

constexpr std::int64_t kTokensPerChunk = 32;

struct TableGradient {
  std::int64_t tokens;
  std::int64_t width;          // a multiple of 8, at most 4096
  bool is_bfloat16;            // rows and table; else float32. Both stand on 16 bytes
  const std::int32_t* sorted;  // [tokens] ids in order
  const std::int64_t* order;   // [tokens] the token of each
  const void* rows;            // [tokens, width]
  void* table;                 // [entries, width]; rows of ids that do not occur are left as they are
  float* partial;              // [ceil(tokens / kTokensPerChunk), 2, width]
};
void table_gradient_cuda(const TableGradient& pass, void* stream);

}  // namespace hasa::kernels
