#include "hasa/ops/graph/path_messages.h"

#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/graph/path_messages_kernels.h"

namespace hasa {
namespace {

constexpr std::int64_t kLongestShortRow = 65533;  // places of extremes are 16 bits, two of them taken

kernels::PathView view_of(const PathBatch& batch, std::int64_t layer, const torch::Tensor& states, Aggregation how) {
  const PathGraph& g = batch.graph;
  const auto ints = [](const torch::Tensor& t) { return t.const_data_ptr<std::int32_t>(); };
  return {.offsets = ints(g.offsets),
          .edges = ints(batch.visible.edges),
          .twin_slot = ints(g.twin_slot),
          .groups = ints(g.groups),
          .groups_of_relation = ints(g.groups_of_relation),
          .relation_parts = ints(g.relation_parts),
          .relation_offsets = ints(g.relation_offsets),
          .parts = ints(g.parts),
          .hubs = ints(g.hubs),
          .heads = batch.heads.const_data_ptr<std::int64_t>(),
          .position = ints(batch.position),
          .pairs = ints(batch.pairs),
          .degree = batch.visible.degree.const_data_ptr<float>(),
          .entities = g.entities(),
          .num_groups = g.groups.size(0),
          .num_parts = g.parts.size(0),
          .num_hubs = g.hubs.size(0),
          .hub_parts = g.hub_parts,
          .num_relation_parts = g.relation_parts.size(0),
          .directed_relations = g.directed_relations(),
          .queries = batch.queries(),
          .dim = states.size(1),
          .rows_in = batch.rows[layer - 1],
          .rows_out = batch.rows[layer],
          .pna = how == Aggregation::pna,
          .is_bfloat16 = states.scalar_type() == torch::kBFloat16,
          .short_slots = states.is_cuda() && g.longest_row <= kLongestShortRow};
}

/// What the kernels need beside their results: a GPU's parts of hubs, of groups and of relations.
struct Scratch {
  torch::Tensor floats(std::initializer_list<std::int64_t> sizes, bool wanted) const {
    return make(sizes, torch::kFloat32, wanted);
  }
  torch::Tensor make(std::initializer_list<std::int64_t> sizes, torch::Dtype dtype, bool wanted) const {
    return wanted ? torch::empty(sizes, options.dtype(dtype)) : torch::Tensor();
  }
  torch::TensorOptions options;
};

struct PathMessages : torch::autograd::Function<PathMessages> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& states_in,
                               const torch::Tensor& relations_in, const torch::Tensor& start_in,
                               const PathBatchPtr& batch, std::int64_t layer, Aggregation how) {
    const torch::Tensor states = for_kernel(states_in), relations = for_kernel(relations_in),
                        start = for_kernel(start_in);
    const kernels::PathView view = view_of(*batch, layer, states, how);
    const Scratch scratch{states.options().requires_grad(false)};
    const std::int64_t columns = view.queries * view.dim;
    torch::Tensor out = torch::empty({view.rows_out, (view.pna ? 5 : 2) * view.dim}, states.options());
    const torch::Tensor extremes =
        scratch.make({view.rows_out, view.dim, 2}, view.short_slots ? torch::kInt16 : torch::kInt32, view.pna);
    const torch::Tensor hub_values = scratch.floats({view.hub_parts, columns, 4}, states.is_cuda());
    const torch::Tensor hub_places = scratch.make({view.hub_parts, columns, 2}, torch::kInt32, states.is_cuda());
    const kernels::PathForward arguments{states.const_data_ptr(),
                                         relations.const_data_ptr(),
                                         start.const_data_ptr(),
                                         out.mutable_data_ptr(),
                                         output_pointer(extremes),
                                         float_pointer(hub_values),
                                         hub_places.defined() ? hub_places.mutable_data_ptr<std::int32_t>() : nullptr};
    dispatch(
        states.device(), [&] { kernels::path_forward_cpu(view, arguments); },
        [&](void* stream) { kernels::path_forward_cuda(view, arguments, stream); });
    context->save_for_backward({states, relations, start, out, or_empty(extremes, states)});
    context->saved_data["batch"] = torch::IValue::make_capsule(batch);
    context->saved_data["layer"] = layer;
    context->saved_data["pna"] = view.pna;
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &states = saved[0], &relations = saved[1], &start = saved[2], &out = saved[3];
    const torch::Tensor extremes = or_undefined(saved[4]), out_grad = for_kernel(grads[0]);
    const auto capsule = context->saved_data["batch"].toCapsule();
    const auto& batch = static_cast<const PathBatch&>(*capsule);
    const kernels::PathView view = view_of(batch, context->saved_data["layer"].toInt(), states,
                                           context->saved_data["pna"].toBool() ? Aggregation::pna : Aggregation::sum);
    const Scratch scratch{states.options().requires_grad(false)};
    const std::int64_t columns = view.queries * view.dim;
    const bool gpu = states.is_cuda();
    const torch::Tensor terms = scratch.make({view.rows_out, view.dim, 4}, states.scalar_type(), gpu && view.pna);
    const torch::Tensor group_sums = scratch.make({view.num_groups, view.queries, view.dim}, states.scalar_type(), gpu);
    const torch::Tensor hub_grads = scratch.floats({view.hub_parts, columns}, gpu);
    const torch::Tensor relation_sums = scratch.floats({view.num_relation_parts, columns}, gpu);
    torch::Tensor states_grad = torch::empty_like(states), start_grad = torch::empty_like(start);
    torch::Tensor relations_grad = torch::empty(relations.sizes(), scratch.options.dtype(torch::kFloat32));
    const kernels::PathBackward arguments{
        states.const_data_ptr(),      relations.const_data_ptr(),     start.const_data_ptr(),
        out.const_data_ptr(),         out_grad.const_data_ptr(),      input_pointer(extremes),
        output_pointer(terms),        output_pointer(group_sums),     float_pointer(hub_grads),
        float_pointer(relation_sums), states_grad.mutable_data_ptr(), relations_grad.mutable_data_ptr<float>(),
        start_grad.mutable_data_ptr()};
    dispatch(
        states.device(), [&] { kernels::path_backward_cpu(view, arguments); },
        [&](void* stream) { kernels::path_backward_cuda(view, arguments, stream); });
    return {states_grad, relations_grad.to(relations.scalar_type()), start_grad, {}, {}, {}};
  }
};

void check(const torch::Tensor& states, const torch::Tensor& relations, const torch::Tensor& start,
           const PathBatch& batch, std::int64_t layer) {
  HASA_CHECK(layer >= 1 && layer <= batch.layers(), shape, "path_messages: layer {} of a batch made for {}", layer,
             batch.layers());
  const std::int64_t dim = states.dim() == 2 ? states.size(1) : 0;
  HASA_CHECK(dim == 8 || dim == 16 || dim == 32 || dim == 64 || dim == 128, shape,
             "path_messages: expected states of 8, 16, 32, 64 or 128 dimensions, got {}", dim);
  HASA_CHECK(states.size(0) == batch.rows[layer - 1], shape,
             "path_messages: expected the states of {} pairs before layer {}, got {}", batch.rows[layer - 1], layer,
             states.size(0));
  HASA_CHECK(relations.sizes() == torch::IntArrayRef({batch.queries(), batch.graph.directed_relations(), dim}), shape,
             "path_messages: expected relations [{}, {}, {}]", batch.queries(), batch.graph.directed_relations(), dim);
  HASA_CHECK(start.sizes() == torch::IntArrayRef({batch.queries(), dim}), shape,
             "path_messages: expected a start for each of {} queries", batch.queries());
  const torch::Dtype dtype = states.scalar_type();
  HASA_CHECK(relations.scalar_type() == dtype && start.scalar_type() == dtype, shape,
             "path_messages: expected states, relations and start of one dtype");
  HASA_CHECK(dtype == torch::kFloat32 || (dtype == torch::kBFloat16 && states.is_cuda()), shape,
             "path_messages: expected float32, or bfloat16 on a GPU");
}

}  // namespace

torch::Tensor path_messages(const torch::Tensor& states, const torch::Tensor& relations, const torch::Tensor& start,
                            const PathBatchPtr& batch, std::int64_t layer, Aggregation aggregation) {
  check(states, relations, start, *batch, layer);
  return PathMessages::apply(states, relations, start, batch, layer, aggregation);
}

}  // namespace hasa
