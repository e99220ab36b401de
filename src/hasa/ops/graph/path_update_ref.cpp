#include "hasa/ops/graph/path_update.h"

namespace hasa {

torch::Tensor path_update_reference(const torch::Tensor& z, const PathUpdateParameters& parameters,
                                    const torch::Tensor& before, const PathBatchPtr& batch, std::int64_t layer) {
  const std::int64_t rows = batch->rows[layer], dim = parameters.bias.size(0);
  const torch::Tensor entity = torch::floor_divide(batch->pairs.slice(0, 0, rows).to(torch::kInt64),
                                                   std::max<std::int64_t>(1, batch->queries()));
  const torch::Tensor s = batch->scale.index_select(0, entity).to(z.scalar_type()).unsqueeze(1);
  torch::Tensor y = z.slice(1, 0, dim) + parameters.bias;
  if (z.size(1) > dim) y = y + s * z.slice(1, dim, 2 * dim) + z.slice(1, 2 * dim) / s.clamp_min(0.01);
  const torch::Tensor normal = torch::layer_norm(y, {dim}, parameters.norm_weight, parameters.norm_bias);
  const torch::Tensor fresh = torch::zeros({rows - before.size(0), dim}, before.options());
  return torch::relu(normal) + torch::cat({before, fresh});
}

}  // namespace hasa
