#include "hasa/ops/table/listed_scores.h"

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/listed_scores_kernels.h"

namespace hasa {
namespace {

kernels::ListedPass listed_pass(const torch::Tensor& queries, const torch::Tensor& table, const RaggedIds& candidates,
                                Similarity similarity) {
  const bool is_bfloat16 = table.scalar_type() == torch::kBFloat16;
  HASA_CHECK(queries.dim() == 2 && table.dim() == 2 && queries.size(1) == table.size(1), shape,
             "listed_scores: queries and table of different width");
  HASA_CHECK(queries.is_contiguous() && queries.scalar_type() == torch::kFloat32 && table.is_contiguous() &&
                 (is_bfloat16 || table.scalar_type() == torch::kFloat32),
             shape, "listed_scores: expected contiguous queries of float32, and a table of float32 or bfloat16");
  HASA_CHECK(candidates.rows() == queries.size(0) && candidates.ids.scalar_type() == torch::kInt64 &&
                 candidates.offsets.scalar_type() == torch::kInt64 && candidates.ids.is_contiguous() &&
                 candidates.offsets.is_contiguous(),
             shape, "listed_scores: {} lists for {} queries", candidates.rows(), queries.size(0));
  HASA_CHECK(similarity != Similarity::negative_modulus || table.size(1) % 2 == 0, shape,
             "listed_scores: complex numbers take an even number of columns");
  kernels::ListedPass pass{};
  pass.queries = queries.size(0);
  pass.dim = queries.size(1);
  pass.similarity = similarity;
  pass.query = queries.const_data_ptr<float>();
  pass.is_bfloat16 = is_bfloat16;
  pass.table = table.const_data_ptr();
  pass.ids = candidates.ids.const_data_ptr<std::int64_t>();
  pass.offsets = candidates.offsets.const_data_ptr<std::int64_t>();
  return pass;
}

}  // namespace

torch::Tensor listed_scores(const torch::Tensor& queries, const torch::Tensor& table, const RaggedIds& candidates,
                            Similarity similarity) {
  kernels::ListedPass pass = listed_pass(queries, table, candidates, similarity);
  torch::Tensor scores = torch::empty({candidates.ids.size(0)}, queries.options());
  if (scores.numel() == 0) return scores;
  pass.scores = scores.data_ptr<float>();
  dispatch(
      queries.device(), [&] { kernels::listed_scores_cpu(pass); },
      [&](void* stream) { kernels::listed_scores_cuda(pass, stream); });
  return scores;
}

ListedGradient listed_gradient(const torch::Tensor& queries, const torch::Tensor& table, const RaggedIds& candidates,
                               const torch::Tensor& scores, const torch::Tensor& slopes, Similarity similarity) {
  kernels::ListedPass pass = listed_pass(queries, table, candidates, similarity);
  const auto fits = [&](const torch::Tensor& x) {
    return x.sizes() == candidates.ids.sizes() && x.scalar_type() == torch::kFloat32 && x.is_contiguous();
  };
  HASA_CHECK(fits(scores) && fits(slopes), shape, "listed_gradient: expected {} scores and slopes",
             candidates.ids.size(0));
  ListedGradient out{torch::zeros_like(queries), torch::empty_like(slopes)};
  if (slopes.numel() == 0) return out;
  pass.scores = scores.data_ptr<float>();
  pass.slopes = slopes.const_data_ptr<float>();
  pass.coefficients = out.coefficients.data_ptr<float>();
  pass.query_grad = out.query_grad.data_ptr<float>();
  dispatch(
      queries.device(), [&] { kernels::listed_gradient_cpu(pass); },
      [&](void* stream) { kernels::listed_gradient_cuda(pass, stream); });
  return out;
}

}  // namespace hasa
