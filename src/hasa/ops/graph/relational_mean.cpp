#include "hasa/ops/graph/relational_mean.h"

#include <torch/csrc/autograd/custom_function.h>

#include <tuple>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/graph/relational_mean_kernels.h"

namespace hasa {
namespace {

kernels::EdgeView view_of(const RelationalEdges& edges, const torch::Tensor& keep, std::int64_t dim) {
  return {edges.offsets.const_data_ptr<std::int64_t>(),
          edges.relation.const_data_ptr<std::int64_t>(),
          edges.neighbour.const_data_ptr<std::int64_t>(),
          edges.triple.const_data_ptr<std::int64_t>(),
          edges.by_relation.const_data_ptr<std::int64_t>(),
          edges.relation_offsets.const_data_ptr<std::int64_t>(),
          edges.source.const_data_ptr<std::int64_t>(),
          keep.numel() > 0 ? keep.const_data_ptr<bool>() : nullptr,
          edges.entities(),
          edges.edges(),
          edges.directed_relations() / 2,
          dim};
}

void inverse_counts(const kernels::EdgeView& view, torch::Tensor& out) {
  dispatch(
      out.device(), [&] { kernels::inverse_counts_cpu(view, out.data_ptr<float>()); },
      [&](void* stream) { kernels::inverse_counts_cuda(view, out.data_ptr<float>(), stream); });
}

void gather(const torch::Device& device, const kernels::EdgeView& view, const kernels::GatherArguments& arguments) {
  dispatch(
      device, [&] { kernels::gather_cpu(view, arguments); },
      [&](void* stream) { kernels::gather_cuda(view, arguments, stream); });
}

struct RelationalMean : torch::autograd::Function<RelationalMean> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& values_in,
                               const torch::Tensor& weights_in, const RelationalEdges& edges,
                               const torch::Tensor& keep) {
    const torch::Tensor values = values_in.contiguous(), weights = weights_in.contiguous();
    const kernels::EdgeView view = view_of(edges, keep, values.size(1));
    torch::Tensor inverse_count = torch::empty({edges.entities()}, values.options());
    inverse_counts(view, inverse_count);
    torch::Tensor out = torch::empty_like(values);
    gather(values.device(), view,
           {values.const_data_ptr<float>(), weights.const_data_ptr<float>(), inverse_count.const_data_ptr<float>(),
            nullptr, false, out.data_ptr<float>()});
    context->save_for_backward({values, weights, inverse_count, keep, edges.offsets, edges.relation, edges.neighbour,
                                edges.triple, edges.by_relation, edges.relation_offsets, edges.source});
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &values = saved[0], &weights = saved[1], &inverse_count = saved[2], &keep = saved[3];
    const RelationalEdges edges{saved[4], saved[5], saved[6], saved[7], saved[8], saved[9], saved[10]};
    const torch::Tensor grad = grads[0].contiguous();
    const kernels::EdgeView view = view_of(edges, keep, values.size(1));
    torch::Tensor values_grad, weights_grad;
    if (context->needs_input_grad(0)) {
      values_grad = torch::empty_like(values);
      gather(values.device(), view,
             {grad.const_data_ptr<float>(), weights.const_data_ptr<float>(), nullptr,
              inverse_count.const_data_ptr<float>(), true, values_grad.data_ptr<float>()});
    }
    if (context->needs_input_grad(1)) {
      weights_grad = torch::empty_like(weights);
      const auto *g = grad.const_data_ptr<float>(), *c = inverse_count.const_data_ptr<float>(),
                 *v = values.const_data_ptr<float>();
      float* out = weights_grad.data_ptr<float>();
      dispatch(
          values.device(), [&] { kernels::weight_gradient_cpu(view, g, c, v, out); },
          [&](void* stream) { kernels::weight_gradient_cuda(view, g, c, v, out, stream); });
    }
    return {values_grad, weights_grad, {}, {}};
  }
};

void check(const torch::Tensor& values, const torch::Tensor& weights, const RelationalEdges& edges,
           const torch::Tensor& keep) {
  HASA_CHECK(values.dim() == 2 && values.size(0) == edges.entities(), shape,
             "relational_mean: expected values of {} entities, got {} rows", edges.entities(), values.size(0));
  HASA_CHECK(weights.dim() == 2 && weights.size(0) == edges.directed_relations() && weights.size(1) == values.size(1),
             shape, "relational_mean: expected weights [{}, {}], got [{}, {}]", edges.directed_relations(),
             values.size(1), weights.size(0), weights.size(1));
  HASA_CHECK(values.scalar_type() == torch::kFloat32 && weights.scalar_type() == torch::kFloat32, shape,
             "relational_mean: expected float32 values and weights");
  HASA_CHECK(!keep.defined() || (keep.numel() * 2 == edges.edges() && keep.scalar_type() == torch::kBool), shape,
             "relational_mean: expected a flag for each of {} triples", edges.edges() / 2);
}

}  // namespace

RelationalEdges RelationalEdges::to(torch::Device device) const {
  return {offsets.to(device),     relation.to(device),         neighbour.to(device), triple.to(device),
          by_relation.to(device), relation_offsets.to(device), source.to(device)};
}

RelationalEdges make_relational_edges(const torch::Tensor& heads, const torch::Tensor& relations,
                                      const torch::Tensor& tails, std::int64_t entity_count,
                                      std::int64_t relation_count) {
  const auto starts = [](const torch::Tensor& ids, std::int64_t count) {
    torch::Tensor offsets = torch::zeros({count + 1}, torch::kInt64);
    offsets.slice(0, 1).copy_(torch::cumsum(torch::bincount(ids, {}, count), 0));
    return offsets;
  };
  const torch::Tensor sources = torch::cat({heads, tails});
  const torch::Tensor order = torch::argsort(sources, /*stable=*/true, /*dim=*/std::int64_t{0}, /*descending=*/false);
  const torch::Tensor triples = torch::arange(heads.size(0));
  RelationalEdges edges;
  edges.source = sources.index_select(0, order);
  edges.offsets = starts(sources, entity_count);
  edges.relation = torch::cat({relations, relations + relation_count}).index_select(0, order);
  edges.neighbour = torch::cat({tails, heads}).index_select(0, order);
  edges.triple = torch::cat({triples, triples}).index_select(0, order);
  edges.by_relation = torch::argsort(edges.relation, /*stable=*/true, /*dim=*/std::int64_t{0}, /*descending=*/false);
  edges.relation_offsets = starts(edges.relation, 2 * relation_count);
  return edges;
}

torch::Tensor relational_mean(const torch::Tensor& values, const torch::Tensor& weights, const RelationalEdges& edges,
                              const torch::Tensor& keep) {
  check(values, weights, edges, keep);
  // Autograd takes no undefined tensor: no flags at all stand for keeping every edge.
  return RelationalMean::apply(values, weights, edges, keep.defined() ? keep : torch::empty({0}, torch::kBool));
}

}  // namespace hasa
