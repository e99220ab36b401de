#include "hasa/ops/score/pair_scores.h"

#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/score/ordered_product.h"
#include "hasa/ops/score/pair_scores_kernels.h"

namespace hasa {
namespace {

torch::Tensor distance_scores(const torch::Tensor& queries, const torch::Tensor& entities, Similarity similarity) {
  torch::Tensor out = torch::empty({queries.size(0), entities.size(0)}, queries.options());
  if (out.numel() == 0) return out;
  const kernels::PairScores pass{queries.size(0),
                                 entities.size(0),
                                 queries.size(1),
                                 similarity,
                                 queries.const_data_ptr<float>(),
                                 entities.const_data_ptr<float>(),
                                 out.data_ptr<float>()};
  dispatch(
      out.device(), [&] { kernels::pair_scores_cpu(pass); },
      [&](void* stream) { kernels::pair_scores_cuda(pass, stream); });
  return out;
}

/// The gradient in x of scores against y; coefficients [rows of x, rows of y], of any strides.
torch::Tensor distance_gradient(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& coefficients,
                                Similarity similarity) {
  torch::Tensor out = torch::empty_like(x);
  const kernels::PairGradient pass{x.size(0),
                                   y.size(0),
                                   x.size(1),
                                   similarity,
                                   x.const_data_ptr<float>(),
                                   y.const_data_ptr<float>(),
                                   coefficients.const_data_ptr<float>(),
                                   coefficients.stride(0),
                                   coefficients.stride(1),
                                   out.data_ptr<float>()};
  if (out.numel() == 0) return out;
  dispatch(
      out.device(), [&] { kernels::pair_gradient_cpu(pass); },
      [&](void* stream) { kernels::pair_gradient_cuda(pass, stream); });
  return out;
}

struct DistanceScores : torch::autograd::Function<DistanceScores> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& queries,
                               const torch::Tensor& entities, std::int64_t similarity) {
    torch::Tensor scores = distance_scores(queries, entities, static_cast<Similarity>(similarity));
    context->save_for_backward({queries, entities, scores});
    context->saved_data["similarity"] = similarity;
    return scores;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &queries = saved[0], &entities = saved[1], &scores = saved[2];
    const auto similarity = static_cast<Similarity>(context->saved_data["similarity"].toInt());
    torch::Tensor coefficients = grads[0].contiguous();
    if (similarity == Similarity::negative_l2)
      coefficients = (coefficients / scores).masked_fill_(scores == 0, 0);  // see L2Terms
    torch::Tensor of_queries, of_entities;
    if (context->needs_input_grad(0)) of_queries = distance_gradient(queries, entities, coefficients, similarity);
    if (context->needs_input_grad(1)) of_entities = distance_gradient(entities, queries, coefficients.t(), similarity);
    return {of_queries, of_entities, {}};
  }
};

}  // namespace

torch::Tensor similarity_of_rows(const torch::Tensor& x, const torch::Tensor& y, Similarity similarity) {
  if (similarity == Similarity::dot) return (x * y).sum(-1);
  const torch::Tensor difference = x - y;
  if (similarity == Similarity::negative_l1) return -difference.abs().sum(-1);
  if (similarity == Similarity::negative_l2) return -difference.norm(2, {-1}, /*keepdim=*/false);
  const std::int64_t half = difference.size(-1) / 2;
  // The norm of pairs, unlike a root, has a gradient of 0 where both parts are 0.
  return -torch::stack({difference.narrow(-1, 0, half), difference.narrow(-1, half, half)})
              .norm(2, {0}, /*keepdim=*/false)
              .sum(-1);
}

torch::Tensor pair_scores(const torch::Tensor& queries, const torch::Tensor& entities, Similarity similarity) {
  HASA_CHECK(queries.dim() == 2 && entities.dim() == 2 && queries.size(1) == entities.size(1), shape,
             "pair_scores: queries and entities of different width");
  HASA_CHECK(queries.scalar_type() == torch::kFloat32 && entities.scalar_type() == torch::kFloat32, shape,
             "pair_scores: expected float32");
  if (similarity == Similarity::dot) return ordered_product(queries, entities.t());
  HASA_CHECK(similarity != Similarity::negative_modulus || queries.size(1) % 2 == 0, shape,
             "pair_scores: complex numbers take an even number of columns, not {}", queries.size(1));
  return DistanceScores::apply(queries.contiguous(), entities.contiguous(), static_cast<std::int64_t>(similarity));
}

}  // namespace hasa
