#pragma once

#include <cstdint>

namespace hasa::kernels {

struct AllEntitiesPass {
  std::int64_t rows, entities;
  bool softmax;  // else bce
  float smoothing, offset;
  const float* scores;          // [rows, entities]
  const std::int64_t* ids;      // labels of all rows, one after the other
  const std::int64_t* offsets;  // [rows + 1]
};
/// The loss of each row [rows], and for softmax the logarithm of its sum of exponentials [rows].
void all_entities_forward_cuda(const AllEntitiesPass& pass, float* loss, float* log_sum, void* stream);
/// The scores' gradient [rows, entities] under that of the mean over rows, one number on the device.
void all_entities_backward_cuda(const AllEntitiesPass& pass, const float* log_sum, const float* loss_grad, float* grad,
                                void* stream);

}  // namespace hasa::kernels
