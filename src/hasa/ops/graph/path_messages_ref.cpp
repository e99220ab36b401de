#include <vector>

#include "hasa/ops/graph/path_messages.h"

namespace hasa {
namespace {

/// [rows, dim] with zeros below the reached ones, so that any row number in reach can be read.
torch::Tensor padded(const torch::Tensor& states, std::int64_t rows) {
  return torch::cat({states, torch::zeros({rows - states.size(0), states.size(1)}, states.options())});
}

torch::Tensor aggregate(const std::vector<torch::Tensor>& messages, const torch::Tensor& own, Aggregation how) {
  const torch::Tensor all = torch::stack(messages);  // [n, dim]
  if (how == Aggregation::sum) return torch::cat({own, all.sum(0)});
  const torch::Tensor mean = all.mean(0);
  const torch::Tensor variance = all.square().mean(0) - mean.square();
  return torch::cat({own, mean, std::get<0>(all.max(0)), std::get<0>(all.min(0)), variance.clamp_min(1e-6).sqrt()});
}

}  // namespace

torch::Tensor path_messages_reference(const torch::Tensor& states, const torch::Tensor& relations,
                                      const torch::Tensor& start, const PathBatchPtr& batch, std::int64_t layer,
                                      Aggregation aggregation) {
  const auto at = [](const torch::Tensor& t, std::int64_t i) { return t[i].item<std::int64_t>(); };
  const std::int64_t rows = batch->rows[layer], reached = batch->rows[layer - 1];
  const torch::Tensor x = padded(states.to(torch::kFloat64), rows);
  const torch::Tensor w = relations.to(torch::kFloat64), first = start.to(torch::kFloat64);
  const PathGraph graph = batch->graph.to(torch::kCPU);
  const torch::Tensor edges = batch->visible.edges.cpu(), pairs = batch->pairs.cpu(), position = batch->position.cpu();
  const torch::Tensor heads = batch->heads.cpu();
  std::vector<torch::Tensor> out;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t v = at(pairs, row) / batch->queries(), q = at(pairs, row) % batch->queries();
    std::vector<torch::Tensor> messages = {v == at(heads, q) ? first[q] : torch::zeros_like(first[q])};
    for (std::int64_t k = at(graph.offsets, v); k < at(graph.offsets, v + 1); ++k) {
      const std::int64_t u = at(edges[k], 0), r = at(edges[k], 1);
      if (u < 0) continue;
      const std::int64_t from = at(position[u], q);
      messages.push_back(from < reached ? x[from] * w[q][r] : torch::zeros_like(first[q]));
    }
    out.push_back(aggregate(messages, x[row], aggregation));
  }
  const std::int64_t width = (aggregation == Aggregation::sum ? 2 : 5) * states.size(1);
  return out.empty() ? torch::zeros({0, width}, torch::kFloat64) : torch::stack(out);
}

}  // namespace hasa
