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

std::vector<torch::Tensor> VectorContext::before_layers(torch::Tensor x, const RelationalEdges& edges) const {
  std::vector<torch::Tensor> before;
  for (const Layer& layer : layers_) {
    before.push_back(x);
    if (before.size() == layers_.size()) break;  // what comes out of the last, nobody hears
    x = layer.norm(x + torch::gelu(relational_mean(layer.neighbour(x), layer.relation, edges)));
  }
  return before;
}

torch::Tensor VectorContext::of_new(torch::Tensor x, const std::vector<torch::Tensor>& before_layers,
                                    const NewEdges& edges) const {
  const torch::Tensor count = torch::zeros({x.size(0), 1}, x.options())
                                  .index_add_(0, edges.entity, torch::ones({edges.entity.size(0), 1}, x.options()))
                                  .clamp_min_(1);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const torch::Tensor said = layer.neighbour(before_layers[i].index_select(0, edges.neighbour)) *
                               layer.relation.index_select(0, edges.relation);
    const torch::Tensor heard = torch::zeros_like(x).index_add_(0, edges.entity, said) / count;
    x = layer.norm(x + torch::gelu(heard));
  }
  return x;
}

NamedTensors VectorContext::parameters() const {
  NamedTensors list;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::string prefix = "layer." + std::to_string(i);
    append(list, prefix + ".neighbour", layers_[i].neighbour.parameters());
    list.push_back({prefix + ".relation", layers_[i].relation, Rows::directed});
    append(list, prefix + ".norm", layers_[i].norm.parameters());
  }
  return list;
}

}  // namespace hasa
