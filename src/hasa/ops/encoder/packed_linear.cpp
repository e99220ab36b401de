#include "hasa/ops/encoder/packed_linear.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include "hasa/base/cpu_features.h"
#include "hasa/base/error.h"

namespace hasa {
namespace {

using torch::Tensor;

/// torch reaches these only through its compiler; the dispatcher gives them to anyone.
Tensor reorder_weight(const Tensor& weight) {
  using Signature = Tensor(const Tensor&, std::optional<c10::SymInt>);
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_reorder_linear_weight", "").typed<Signature>();
  static const std::optional<c10::SymInt> any_batch;  // of a temporary g++ warns that it may be uninitialised
  return op.call(weight, any_batch);
}

Tensor linear_pointwise(const Tensor& x, const Tensor& weight, const Tensor& bias, std::string_view attribute,
                        std::optional<std::string_view> algorithm) {
  using Scalars = c10::List<std::optional<at::Scalar>>;
  using Signature = Tensor(const Tensor&, const Tensor&, const std::optional<Tensor>&, std::string_view, Scalars,
                           std::optional<std::string_view>);
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "").typed<Signature>();
  return op.call(x, weight, bias, attribute, Scalars(), algorithm);
}

bool onednn_serves(torch::Dtype dtype) {
  if (!at::globalContext().hasMKLDNN()) return false;
  return dtype == torch::kFloat32 || (dtype == torch::kBFloat16 && cpu_has_bfloat16());
}

Tensor apply(Epilogue epilogue, const Tensor& x) {
  switch (epilogue) {
    case Epilogue::none: return x;
    case Epilogue::gelu: return at::gelu(x);
    case Epilogue::gelu_tanh: return at::gelu(x, "tanh");
    case Epilogue::relu: return at::relu(x);
  }
  return x;
}

}  // namespace

bool cpu_has_bfloat16() {
  static const bool has = onednn_level() >= CpuLevel::avx512_bf16;
  return has;
}

PackedLinear::PackedLinear(const Tensor& weight, const Tensor& bias) : bias_(bias.detach()) {
  HASA_CHECK(weight.is_cpu() && weight.dim() == 2 && bias.dim() == 1 && bias.size(0) == weight.size(0), shape,
             "PackedLinear: weight must be [out, in] on the CPU and bias [out]");
  const at::NoGradGuard no_gradients;
  packed_ = onednn_serves(weight.scalar_type());
  weight_ = packed_ ? reorder_weight(weight.detach()) : weight.detach();
}

Tensor PackedLinear::operator()(const Tensor& x, Epilogue epilogue) const {
  const at::NoGradGuard no_gradients;
  if (!packed_) return apply(epilogue, at::linear(x, weight_, bias_));
  switch (epilogue) {
    case Epilogue::none: return linear_pointwise(x, weight_, bias_, "none", std::nullopt);
    case Epilogue::gelu: return linear_pointwise(x, weight_, bias_, "gelu", "none");
    case Epilogue::gelu_tanh: return linear_pointwise(x, weight_, bias_, "gelu", "tanh");
    case Epilogue::relu: return linear_pointwise(x, weight_, bias_, "relu", std::nullopt);
  }
  return {};
}

}  // namespace hasa
