#include "hasa/ops/table/table_gradient.h"

#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "hasa/base/error.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/encoder/dropout_add_layer_norm_kernels.h"
#include "hasa/ops/table/table_gradient_kernels.h"

namespace hasa {
namespace {

using torch::Tensor;

/// A radix sort passes over its keys once for every 8 bits: most tables need 16.
torch::Dtype narrowest(std::int64_t entries) {
  return entries <= std::numeric_limits<std::int16_t>::max() ? torch::kInt16 : torch::kInt32;
}

}  // namespace

Tensor table_gradient(const Tensor& rows_in, const Tensor& ids, std::int64_t entries) {
  HASA_CHECK(rows_in.dim() == 2 && ids.dim() == 1 && ids.size(0) == rows_in.size(0), shape,
             "table_gradient: rows must be [tokens, width] and ids [tokens]");
  if (!has_row_kernel(rows_in, rows_in) || rows_in.size(1) > kernels::kWidestNorm) {
    // Torch leaves out one id alone, so that those who took no row get a common one.
    const Tensor given = at::where(ids.lt(0), at::scalar_tensor(entries, ids.options()), ids);
    return at::embedding_dense_backward(rows_in, given, entries + 1, /*padding_idx=*/entries,
                                        /*scale_grad_by_freq=*/false)
        .narrow(0, 0, entries);
  }
  const Tensor rows = for_kernel(rows_in);
  const std::int64_t tokens = rows.size(0), width = rows.size(1);
  Tensor table = at::zeros({entries, width}, rows.options());
  if (tokens == 0) return table;
  const auto [keys, order] =
      at::sort(ids.clamp_min(-1).to(narrowest(entries)), /*stable=*/true, /*dim=*/0, /*descending=*/false);
  const Tensor sorted = keys.to(torch::kInt32);
  const std::int64_t chunks = (tokens + kernels::kTokensPerChunk - 1) / kernels::kTokensPerChunk;
  const Tensor partial = at::empty({chunks, 2, width}, rows.options().dtype(torch::kFloat32));
  const kernels::TableGradient pass{tokens,
                                    width,
                                    rows.scalar_type() == torch::kBFloat16,
                                    sorted.const_data_ptr<std::int32_t>(),
                                    order.const_data_ptr<std::int64_t>(),
                                    input_pointer(rows),
                                    output_pointer(table),
                                    partial.data_ptr<float>()};
  on_cuda([&](void* stream) { kernels::table_gradient_cuda(pass, stream); });
  return table;
}

}  // namespace hasa
