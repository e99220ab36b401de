#pragma once

#include <cstdint>

namespace hasa::kernels {

struct AdagradStep {
  std::int64_t count;
  float rate, shrink;
  const float* gradient;
  float* x;
  float* squares;
};
void adagrad_step_cuda(const AdagradStep& pass, void* stream);

}  // namespace hasa::kernels
