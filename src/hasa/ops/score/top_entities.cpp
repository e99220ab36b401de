#include "hasa/ops/score/top_entities.h"

#include <ATen/ops/mm.h>

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/score/top_entities_cuda.h"
#include "hasa/ops/score/top_entities_kernels.h"

namespace hasa {
namespace kernels {

torch::Tensor ids_of(const torch::Tensor& keys_in) {
  const torch::Tensor keys = keys_in.contiguous();
  if (keys.is_cpu()) return (kGreatestId - keys.bitwise_and(kGreatestId)).masked_fill(keys.eq(kNoKey), -1);
  torch::Tensor ids = torch::empty_like(keys);
  dispatch(
      keys.device(), [] {},
      [&](void* stream) {
        ids_of_cuda(keys.const_data_ptr<std::int64_t>(), keys.numel(), ids.mutable_data_ptr<std::int64_t>(), stream);
      });
  return ids;
}

torch::Tensor top_keys_composed(const torch::Tensor& scores, std::int64_t first_entity, const ExcludedCells& excluded,
                                std::int64_t k) {
  const std::int64_t rows = scores.size(0), n = scores.size(1);
  const torch::Tensor not_a_number = scores.isnan();
  scores.add_(0.0F);  // -0 and 0 are equal
  const torch::Tensor bits = scores.view(torch::kInt32);
  bits.bitwise_xor_(bits.bitwise_right_shift(31).bitwise_and_(kGreatestId));
  // One column more takes what is excluded among entities that are not here: no count of the others is waited for.
  const torch::Tensor keys = torch::full({rows, n + 1}, kNoKey, scores.options().dtype(torch::kInt64));
  const torch::Tensor here = keys.slice(1, 0, n);
  here.copy_(bits).mul_(std::int64_t{1} << 32);
  here.add_(kGreatestId - first_entity - torch::arange(n, keys.options()));
  here.masked_fill_(not_a_number, kNoKey);
  const torch::Tensor column = excluded.id - first_entity;
  const torch::Tensor place = torch::where(column.ge(0).logical_and_(column.lt(n)), column, n);
  keys.view(-1).index_fill_(0, excluded.row * (n + 1) + place, kNoKey);
  return std::get<0>(keys.topk(std::min(k, n), /*dim=*/1));
}

}  // namespace kernels

namespace {

using kernels::ExcludedCells;

/// The excluded ids of some of the queries, first .. last.
struct Excluded {
  const RaggedIds& all;
  std::int64_t first, last;

  /// One by one; the host waits for where they begin. Rows are counted from the first.
  ExcludedCells cells() const {
    const RaggedIds here = first == 0 && last == all.rows() ? all : all.slice(first, last);
    return {here.row_of_each(), here.ids.contiguous()};
  }
};

void check(const torch::Tensor& queries, const torch::Tensor& entities, const RaggedIds& excluded, std::int64_t k) {
  HASA_CHECK(queries.dim() == 2 && entities.dim() == 2 && queries.size(1) == entities.size(1), shape,
             "top_entities: queries and entities of different width");
  const torch::ScalarType type = queries.scalar_type();
  HASA_CHECK(type == entities.scalar_type() && (type == torch::kFloat32 || type == torch::kBFloat16), shape,
             "top_entities: expected queries and entities both of float32 or both of bfloat16");
  HASA_CHECK(excluded.rows() == queries.size(0), shape, "top_entities: {} queries and {} rows of excluded ids",
             queries.size(0), excluded.rows());
  HASA_CHECK(k >= 0, shape, "top_entities: the best {} of something were asked for", k);
  HASA_CHECK(entities.size(0) <= kernels::kGreatestId, shape, "top_entities: {} entities; at most 2^31 - 1 have keys",
             entities.size(0));
  // A kernel leaves out what is here and passes over other ids; asking a GPU for them first would be waiting for it.
  if (!excluded.ids.is_cpu()) return;
  HASA_CHECK(excluded.offsets[-1].item<std::int64_t>() == excluded.ids.size(0), shape,
             "top_entities: {} excluded ids, and offsets that end elsewhere", excluded.ids.size(0));
  if (excluded.ids.numel() == 0) return;
  const auto [least, greatest] = excluded.ids.aminmax();
  HASA_CHECK(least.item<std::int64_t>() >= 0 && greatest.item<std::int64_t>() < entities.size(0), shape,
             "top_entities: an excluded id is not among {} entities", entities.size(0));
}

/// By kernels of our own on a GPU, where k is small.
torch::Tensor top_keys_on_gpu(const torch::Tensor& scores, std::int64_t first_entity, const Excluded& excluded,
                              std::int64_t k) {
  const std::int64_t rows = scores.size(0), n = scores.size(1), found = std::min(k, n);
  torch::Tensor keys = torch::empty({rows, found}, excluded.all.ids.options());
  dispatch(
      scores.device(), [] {},
      [&](void* stream) {
        kernels::leave_out_cuda(scores.mutable_data_ptr<float>(), rows, n, first_entity,
                                excluded.all.ids.const_data_ptr<std::int64_t>(),
                                excluded.all.offsets.const_data_ptr<std::int64_t>() + excluded.first, stream);
        kernels::top_keys_cuda(scores.const_data_ptr<float>(), rows, n, first_entity, found,
                               keys.mutable_data_ptr<std::int64_t>(), stream);
      });
  return keys;
}

/// Scores in float32, in memory that is used again for the next chunk where it can be.
class Product {
 public:
  Product(torch::Tensor queries, torch::Tensor entities) : queries_(queries.detach()), entities_(entities.detach()) {
    if (queries_.is_cpu()) {  // products of bfloat16 are exact in float32
      queries_ = queries_.to(torch::kFloat32);
      entities_ = entities_.to(torch::kFloat32);
    }
  }
  torch::Tensor scores(std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t end) {
    const torch::Tensor rows = queries_.slice(0, first, last), columns = entities_.slice(0, begin, end).t();
    if (rows.scalar_type() != torch::kFloat32) return at::mm(rows, columns, torch::kFloat32);
    const std::int64_t size = (last - first) * (end - begin);
    if (!memory_.defined() || memory_.size(0) < size) memory_ = torch::empty({size}, rows.options());
    torch::Tensor out = memory_.slice(0, 0, size).view({last - first, end - begin});
    at::mm_out(out, rows, columns);
    return out;
  }

 private:
  torch::Tensor queries_, entities_, memory_;
};

}  // namespace

torch::Tensor top_entities(const torch::Tensor& queries, const torch::Tensor& entities, const RaggedIds& excluded_ids,
                           std::int64_t k, std::int64_t workspace_bytes) {
  check(queries, entities, excluded_ids, k);
  const std::int64_t num_queries = queries.size(0), n = entities.size(0);
  const auto options = queries.options().dtype(torch::kInt64).requires_grad(false);
  if (num_queries * k * n == 0) return torch::full({num_queries, k}, -1, options);

  const RaggedIds excluded{excluded_ids.ids.contiguous(), excluded_ids.offsets.contiguous()};
  const bool own_kernel = !queries.is_cpu() && k <= kernels::kMostOnCuda;
  const bool composed = !queries.is_cpu() && !own_kernel;
  const std::int64_t room = workspace_bytes / (composed ? kernels::kBytesPerScoreComposed : kernels::kBytesPerScore);
  const std::int64_t columns = std::clamp<std::int64_t>(room, 1, n), rows = std::max<std::int64_t>(1, room / n);
  Product product(queries, entities);
  torch::Tensor best = k > n ? torch::full({num_queries, k}, -1, options) : torch::empty({num_queries, k}, options);
  for (std::int64_t first = 0; first < num_queries; first += rows) {
    const Excluded here{excluded, first, std::min(num_queries, first + rows)};
    const ExcludedCells cells = own_kernel ? ExcludedCells{} : here.cells();
    torch::Tensor keys;
    for (std::int64_t begin = 0; begin < n; begin += columns) {
      const std::int64_t end = std::min(n, begin + columns);
      const torch::Tensor scores = product.scores(first, here.last, begin, end);
      const torch::Tensor more = own_kernel        ? top_keys_on_gpu(scores, begin, here, k)
                                 : scores.is_cpu() ? kernels::top_keys_cpu(scores, begin, cells, k)
                                                   : kernels::top_keys_composed(scores, begin, cells, k);
      keys = begin == 0 ? more : torch::cat({keys, more}, 1);
      if (begin > 0) keys = std::get<0>(keys.topk(std::min(k, keys.size(1)), 1));
    }
    best.slice(0, first, here.last).slice(1, 0, keys.size(1)).copy_(kernels::ids_of(keys));
  }
  return best;
}

}  // namespace hasa
