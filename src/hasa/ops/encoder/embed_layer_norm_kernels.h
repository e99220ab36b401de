#pragma once

#include <cstdint>

#include "hasa/ops/encoder/dropout_add_layer_norm_kernels.h"

namespace hasa::kernels {

struct EmbedInputs {
  const void* words;
  const void* positions;
  const void* segments;          // or null
  const void* soft;              // or null
  const std::int64_t* word_ids;  // -1 - i: row i of soft
  const std::int64_t* position_ids;
  const std::int64_t* segment_ids;  // or null: row 0 for all
};

struct EmbedForward {
  EmbedInputs from;
  const void* weight;
  const void* bias;
  float eps;
  DropoutView dropout;
  void* out;
  float* mean;  // or null, together with inverse_std
  float* inverse_std;
};
void embed_layer_norm_forward_cuda(const NormShape& shape, const EmbedForward& pass, void* stream);

/// Gradients of the sum of the rows, of weight and bias, and the sum of the first down its rows: what row 0 of the
/// segments gets when every token takes it.
struct EmbedBackward {
  EmbedInputs from;
  const void* grad;
  const float* mean;
  const float* inverse_std;
  const void* weight;
  DropoutView dropout;
  void* grad_sum;
  void* grad_weight;
  void* grad_bias;
  float* grad_all_rows;  // [width]
  float* partial;        // [embed_backward_blocks_cuda(shape), 3, width]
};
std::int64_t embed_backward_blocks_cuda(const NormShape& shape);
void embed_layer_norm_backward_cuda(const NormShape& shape, const EmbedBackward& pass, void* stream);

}  // namespace hasa::kernels
