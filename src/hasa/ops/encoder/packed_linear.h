#pragma once

#include <torch/types.h>

namespace hasa {

enum class Epilogue { none, gelu, gelu_tanh, relu };

/// y = epilogue(x weight^T + bias) for a weight that does not change: it is laid out once for this CPU's
/// matrix kernels (oneDNN), and the epilogue is applied while the product is in cache. No gradients.
///
/// weight [out, in], bias [out], x [rows, in]: float32 or bfloat16, one dtype; products are summed in float32.
/// Where oneDNN cannot serve the chip or dtype, plain products give the same within rounding.
class PackedLinear {
 public:
  PackedLinear() = default;
  PackedLinear(const torch::Tensor& weight, const torch::Tensor& bias);

  torch::Tensor operator()(const torch::Tensor& x, Epilogue epilogue = Epilogue::none) const;

 private:
  torch::Tensor weight_;  // oneDNN's layout when packed_
  torch::Tensor bias_;
  bool packed_ = false;
};

/// Products of matrices with one more row count are prepared anew, which takes longer than they do: callers
/// round their rows up to a multiple of this.
constexpr std::int64_t kPackedLinearRows = 64;

/// Whether this CPU multiplies bfloat16 in hardware, and ONEDNN_MAX_CPU_ISA lets oneDNN do so.
bool cpu_has_bfloat16();

}  // namespace hasa
