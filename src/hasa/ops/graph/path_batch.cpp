#include "hasa/ops/graph/path_batch.h"

#include <algorithm>
#include <limits>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/graph/path_reach_kernels.h"

namespace hasa {
namespace {

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

torch::Tensor distances(const PathGraph& graph, const torch::Tensor& edges, const torch::Tensor& heads,
                        std::int64_t layers) {
  const std::int64_t queries = heads.size(0);
  torch::Tensor distance =
      torch::full({graph.entities(), queries}, kernels::kUnsetDistance, edges.options().dtype(torch::kUInt8));
  distance.view(-1).index_fill_(0, heads * queries + torch::arange(queries, heads.options()), 0);
  if (queries == 0 || graph.num_edges() == 0) return distance;
  for (std::int64_t step = 1; step <= layers; ++step) {
    const torch::Tensor before = distance.clone();
    const kernels::ReachView view{graph.offsets.const_data_ptr<std::int32_t>(),
                                  edges.const_data_ptr<std::int32_t>(),
                                  graph.groups.const_data_ptr<std::int32_t>(),
                                  graph.parts.const_data_ptr<std::int32_t>(),
                                  graph.entities(),
                                  queries,
                                  graph.parts.size(0),
                                  before.const_data_ptr<std::uint8_t>(),
                                  distance.data_ptr<std::uint8_t>()};
    const auto number = static_cast<std::uint8_t>(step);
    dispatch(
        edges.device(), [&] { kernels::reach_step_cpu(view, number); },
        [&](void* stream) { kernels::reach_step_cuda(view, number, stream); });
  }
  return distance;
}

torch::Tensor degree_scale(const torch::Tensor& degree) {
  const torch::Tensor scale = (degree + 1).log();
  return scale / scale.mean().clamp_min(1e-6);
}

}  // namespace

PathBatchPtr make_path_batch(const PathGraph& graph, const torch::Tensor& heads, const torch::Tensor& hidden,
                             std::int64_t layers) {
  const std::int64_t pairs = graph.entities() * heads.size(0);
  HASA_CHECK(pairs < kNever, config, "{} queries at once over {} entities are more than 2^31 pairs; take fewer queries",
             heads.size(0), graph.entities());
  HASA_CHECK(layers >= 1 && layers < kernels::kUnsetDistance, config, "a path model has 1 to 254 layers, not {}",
             layers);
  auto batch = c10::make_intrusive<PathBatch>();
  batch->graph = graph;
  batch->visible = hide_triples(graph, hidden);
  batch->heads = heads;
  const torch::Tensor distance = distances(graph, batch->visible.edges, heads, layers).view(-1);
  std::vector<torch::Tensor> rings;
  std::int64_t reached = 0;
  for (std::int64_t l = 0; l <= layers; ++l) {
    rings.push_back(torch::nonzero(distance == l).flatten());
    reached += rings.back().size(0);
    batch->rows.push_back(reached);
  }
  const torch::Tensor known = torch::cat(rings);
  batch->pairs = known.to(torch::kInt32);
  batch->position = torch::full({graph.entities(), heads.size(0)}, kNever, batch->pairs.options());
  batch->position.view(-1).index_copy_(0, known, torch::arange(reached, batch->pairs.options()));
  batch->scale = degree_scale(batch->visible.degree);
  return batch;
}

}  // namespace hasa
