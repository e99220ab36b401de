#include "hasa/ops/table/table_gradient.h"

namespace hasa {

torch::Tensor table_gradient_reference(const torch::Tensor& rows, const torch::Tensor& ids, std::int64_t entries) {
  const torch::Tensor from = rows.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  const torch::Tensor of = ids.to(torch::kCPU, torch::kInt64).contiguous();
  torch::Tensor table = torch::zeros({entries, rows.size(1)}, torch::kFloat64);
  auto sums = table.accessor<double, 2>();
  for (std::int64_t t = 0; t < of.size(0); ++t) {
    const std::int64_t id = of.accessor<std::int64_t, 1>()[t];
    if (id < 0) continue;
    for (std::int64_t c = 0; c < rows.size(1); ++c) sums[id][c] += from.accessor<double, 2>()[t][c];
  }
  return table;
}

}  // namespace hasa
