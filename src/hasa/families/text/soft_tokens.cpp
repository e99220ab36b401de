#include "hasa/families/text/soft_tokens.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/zeros.h>

namespace hasa {

using torch::Tensor;

SoftTokens::SoftTokens(const SoftTokenSizes& sizes, const Tensor& words)
    : bank_(torch::zeros({sizes.entities, sizes.dim}, words.options().dtype(torch::kFloat32).requires_grad(false))),
      relations_(torch::empty({sizes.directed_relations, sizes.hidden}).uniform_(-1, 1).requires_grad_()),
      first_(sizes.dim, sizes.hidden),
      second_(sizes.hidden, sizes.hidden),
      norm_(sizes.hidden) {
  const at::NoGradGuard no_gradients;
  norm_.weight.fill_(words.detach().to(torch::kFloat32).square().mean().sqrt().cpu());
  for (const NamedTensor& each : parameters()) each.tensor.set_data(each.tensor.to(words.device()));
}

Tensor SoftTokens::rows(const Tensor& keys) const {
  const std::int64_t entities = bank_.size(0);
  const Tensor neighbours = bank_.index_select(0, at::remainder(keys, entities));
  const Tensor relations = relations_.index_select(0, keys.floor_divide(entities));
  const Tensor wide = first_(at::layer_norm(neighbours, {bank_.size(1)})) + relations;
  return norm_(second_(at::gelu(wide)));
}

NamedTensors SoftTokens::parameters() const {
  NamedTensors list;
  if (!bank_.defined()) return list;
  list.push_back({"relations", relations_});
  append(list, "first", first_.parameters());
  append(list, "second", second_.parameters());
  append(list, "norm", norm_.parameters());
  return list;
}

}  // namespace hasa
