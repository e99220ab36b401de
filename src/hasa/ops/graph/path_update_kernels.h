#pragma once

#include <cstdint>

namespace hasa::kernels {

constexpr float kPathNormEpsilon = 1e-5F;
constexpr float kLeastScale = 0.01F;
constexpr std::int64_t kPathUpdateBlocks = 1024;  // at most so many partial sums of the parameters' gradients
constexpr std::int64_t kMostPathColumns = 128;

struct PathUpdate {
  const void* z;              // [rows, parts, dim]
  const void* before;         // [rows_before, dim]
  const float* bias;          // [dim]
  const float* norm_weight;   // [dim]
  const float* norm_bias;     // [dim]
  const float* scale;         // [entities]
  const std::int32_t* pairs;  // [rows] entity * queries + query
  std::int64_t rows, rows_before, dim, queries;
  int parts;  // 1 or 3
  bool is_bfloat16;
};

struct PathUpdateGradient {
  const void* out_grad;  // [rows, dim]
  void* z_grad;          // [rows, parts, dim]
  float* partial;        // [kPathUpdateBlocks, 3, dim] scratch; fully written as far as it is read
  float* sums[3];        // [dim] gradients of bias, norm_weight and norm_bias
};

void path_update_cpu(const PathUpdate& update, void* out);
void path_update_gradient_cpu(const PathUpdate& update, const PathUpdateGradient& gradient);
void path_update_cuda(const PathUpdate& update, void* out, void* stream);
void path_update_gradient_cuda(const PathUpdate& update, const PathUpdateGradient& gradient, void* stream);

}  // namespace hasa::kernels
