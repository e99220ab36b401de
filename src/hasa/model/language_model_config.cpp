#include "hasa/model/language_model_config.h"

#include "hasa/nn/encode_all.h"

namespace hasa {

torch::Dtype dtype_for(Precision precision, const torch::Device& device) {
  switch (precision) {
    case Precision::fp32: return torch::kFloat32;
    case Precision::bf16: return torch::kBFloat16;
    case Precision::automatic: break;
  }
  return device.is_cuda() || cpu_has_bfloat16() ? torch::kBFloat16 : torch::kFloat32;
}

}  // namespace hasa
