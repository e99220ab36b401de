#include "hasa/nn/vector_context.h"

#include <string>

#include "hasa/ops/encoder/hashed_dropout.h"

namespace hasa {

VectorContext::VectorContext(std::int64_t layers, std::int64_t dim, std::int64_t directed_relations, double dropout)
    : dropout_(dropout) {
  for (std::int64_t i = 0; i < layers; ++i) {
    layers_.push_back({Linear(dim, dim), torch::randn({directed_relations, dim}).requires_grad_(), LayerNorm(dim)});
  }
}

torch::Tensor VectorContext::operator()(torch::Tensor x, const RelationalEdges& edges, const torch::Tensor& keep,
                                        bool training) const {
  for (const Layer& layer : layers_) {
    const torch::Tensor heard = relational_mean(layer.neighbour(x), layer.relation, edges, keep);
    x = layer.norm(x + hashed_dropout(torch::gelu(heard), dropout_, training));
  }
  return x;
}

NamedTensors VectorContext::parameters() const {
  NamedTensors list;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::string prefix = "layer." + std::to_string(i);
    append(list, prefix + ".neighbour", layers_[i].neighbour.parameters());
    list.push_back({prefix + ".relation", layers_[i].relation});
    append(list, prefix + ".norm", layers_[i].norm.parameters());
  }
  return list;
}

}  // namespace hasa
