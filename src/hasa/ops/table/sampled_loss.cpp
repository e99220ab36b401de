#include "hasa/ops/table/sampled_loss.h"

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/sampled_loss_kernels.h"

namespace hasa {

SampledLoss sampled_loss(const torch::Tensor& queries_in, const torch::Tensor& table, const torch::Tensor& candidates,
                         Similarity similarity, const RowLoss& loss, const torch::Tensor& weights) {
  const torch::Tensor queries = queries_in.detach().contiguous();
  HASA_CHECK(queries.dim() == 2 && table.dim() == 2 && queries.size(1) == table.size(1), shape,
             "sampled_loss: queries and table of different width");
  HASA_CHECK(candidates.dim() == 2 && candidates.size(0) == queries.size(0) && candidates.size(1) >= 2 &&
                 candidates.scalar_type() == torch::kInt32 && candidates.is_contiguous(),
             shape, "sampled_loss: expected candidates [queries, 1 + n] int32");
  const bool is_bfloat16 = table.scalar_type() == torch::kBFloat16;
  HASA_CHECK(table.is_contiguous() && (is_bfloat16 || table.scalar_type() == torch::kFloat32), shape,
             "sampled_loss: expected a contiguous table of float32 or bfloat16");
  HASA_CHECK(similarity != Similarity::negative_modulus || table.size(1) % 2 == 0, shape,
             "sampled_loss: complex numbers take an even number of columns");
  HASA_CHECK(!weights.defined() || (weights.dim() == 1 && weights.size(0) == queries.size(0) &&
                                    weights.scalar_type() == torch::kFloat32 && weights.is_contiguous()),
             shape, "sampled_loss: expected weights [queries] float32");
  const std::int64_t count = queries.size(0), columns = candidates.size(1);
  SampledLoss out{torch::empty({count}, queries.options()), torch::empty_like(queries),
                  torch::empty({count, columns}, queries.options())};
  const kernels::SampledPass pass{count,
                                  columns,
                                  queries.size(1),
                                  similarity,
                                  loss.kind,
                                  static_cast<float>(loss.offset),
                                  static_cast<float>(loss.temperature),
                                  queries.const_data_ptr<float>(),
                                  is_bfloat16,
                                  table.const_data_ptr(),
                                  candidates.const_data_ptr<std::int32_t>(),
                                  weights.defined() ? weights.const_data_ptr<float>() : nullptr,
                                  out.loss.data_ptr<float>(),
                                  out.query_grad.data_ptr<float>(),
                                  out.coefficients.data_ptr<float>()};
  if (count > 0) {
    dispatch(
        queries.device(), [&] { kernels::sampled_loss_cpu(pass); },
        [&](void* stream) { kernels::sampled_loss_cuda(pass, stream); });
  }
  out.loss = weights.defined() ? out.loss.dot(weights) : out.loss.mean();
  return out;
}

}  // namespace hasa
