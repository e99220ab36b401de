#include "hasa/ops/table/row_update.h"

#include <ATen/ops/sort.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/row_update_kernels.h"

namespace hasa {
namespace {

struct SortedIds {
  torch::Tensor ids;    // [tokens] int32, rising
  torch::Tensor order;  // [tokens] int64: where each was
};

/// A radix sort of its own: torch's takes five times as long on a CPU.
SortedIds sort_on_cpu(const torch::Tensor& ids, std::int64_t rows) {
  constexpr int kBits = 11;
  constexpr std::uint32_t kBuckets = 1U << kBits;
  const auto count = static_cast<std::size_t>(ids.size(0));
  SortedIds out{ids.clone(), torch::arange(ids.size(0))};
  std::vector<std::int32_t> keys(count);
  std::vector<std::int64_t> places(count);
  std::int32_t* key = out.ids.data_ptr<std::int32_t>();
  std::int64_t* place = out.order.data_ptr<std::int64_t>();
  for (int shift = 0; (std::uint64_t{1} << shift) < static_cast<std::uint64_t>(rows); shift += kBits) {
    const auto bucket = [shift](std::int32_t k) { return (static_cast<std::uint32_t>(k) >> shift) & (kBuckets - 1); };
    std::array<std::size_t, kBuckets + 1> begin{};
    for (std::size_t i = 0; i < count; ++i) ++begin[bucket(key[i]) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t to = begin[bucket(key[i])]++;
      keys[to] = key[i];
      places[to] = place[i];
    }
    std::copy(keys.begin(), keys.end(), key);
    std::copy(places.begin(), places.end(), place);
  }
  return out;
}

SortedIds sorted_ids(const torch::Tensor& ids, std::int64_t rows) {
  if (ids.is_cpu()) return sort_on_cpu(ids, rows);
  const auto [sorted, order] = at::sort(ids, /*stable=*/true, /*dim=*/0, /*descending=*/false);
  return {sorted, order};
}

torch::Tensor all_ids(const SampledRows& sampled, const DirectRows& direct) {
  std::vector<torch::Tensor> parts;
  if (sampled.queries.defined()) {
    const torch::Tensor candidates = sampled.candidates.reshape({-1});
    parts.push_back(sampled.cells.defined() ? candidates.index_select(0, sampled.cells) : candidates);
  }
  if (direct.ids.defined()) parts.push_back(direct.ids);
  HASA_CHECK(!parts.empty(), shape, "update_rows: there is no gradient");
  return torch::cat(parts).to(torch::kInt32);
}

/// Where each sorted token stands among all candidates and direct rows, where only some of the candidates count.
torch::Tensor places_of(const torch::Tensor& order, const SampledRows& sampled) {
  if (!sampled.queries.defined() || !sampled.cells.defined()) return order;
  const std::int64_t left_out = sampled.candidates.numel() - sampled.cells.size(0);
  if (sampled.cells.size(0) == 0) return order + left_out;
  const torch::Tensor direct = order.ge(sampled.cells.size(0));
  return torch::where(direct, order + left_out,
                      sampled.cells.index_select(0, order.clamp_max(sampled.cells.size(0) - 1)));
}

const float* values_of(const torch::Tensor& x) { return x.defined() ? x.const_data_ptr<float>() : nullptr; }

}  // namespace

RowState RowState::of(const torch::Tensor& table, RowRule rule) {
  const auto options = table.options().dtype(torch::kFloat32).requires_grad(false);
  RowState state;
  state.squares =
      rule == RowRule::row_adagrad ? torch::zeros({table.size(0)}, options) : torch::zeros(table.sizes(), options);
  if (rule == RowRule::adam) state.means = torch::zeros(table.sizes(), options);
  return state;
}

void update_rows(const torch::Tensor& table, const RowState& state, const SampledRows& sampled_in,
                 const DirectRows& direct_in, const RowStep& step) {
  const bool is_bfloat16 = table.scalar_type() == torch::kBFloat16;
  HASA_CHECK(table.dim() == 2 && table.is_contiguous() && (is_bfloat16 || table.scalar_type() == torch::kFloat32),
             shape, "update_rows: expected a contiguous table of float32 or bfloat16");
  SampledRows sampled = sampled_in;
  DirectRows direct = direct_in;
  if (sampled.queries.defined()) {
    sampled.queries = sampled.queries.contiguous();
    sampled.coefficients = sampled.coefficients.contiguous();
    HASA_CHECK(sampled.queries.size(1) == table.size(1) && sampled.coefficients.sizes() == sampled.candidates.sizes() &&
                   sampled.candidates.size(0) == sampled.queries.size(0),
               shape, "update_rows: queries, candidates and coefficients do not fit each other");
  }
  if (direct.ids.defined()) {
    direct.grads = direct.grads.contiguous();
    HASA_CHECK(direct.grads.size(0) == direct.ids.size(0) && direct.grads.size(1) == table.size(1), shape,
               "update_rows: {} ids and gradients of {} rows", direct.ids.size(0), direct.grads.size(0));
  }
  const torch::Tensor ids = all_ids(sampled, direct);
  if (ids.size(0) == 0) return;
  SortedIds sorted = sorted_ids(ids, table.size(0));
  sorted.order = places_of(sorted.order, sampled);
  const auto t = static_cast<double>(step.step);
  const bool adam = step.rule == RowRule::adam;
  kernels::RowUpdate pass{};
  pass.tokens = ids.size(0);
  pass.rows = table.size(0);
  pass.dim = table.size(1);
  pass.sampled = sampled.queries.defined() ? sampled.candidates.numel() : 0;
  pass.columns = sampled.queries.defined() ? sampled.candidates.size(1) : 1;
  pass.similarity = sampled.similarity;
  pass.sorted = sorted.ids.const_data_ptr<std::int32_t>();
  pass.order = sorted.order.const_data_ptr<std::int64_t>();
  pass.queries = values_of(sampled.queries);
  pass.coefficients = values_of(sampled.coefficients);
  pass.direct = values_of(direct.grads);
  pass.rule = step.rule;
  pass.rate = static_cast<float>(adam ? step.rate / (1 - std::pow(kAdamMean, t)) : step.rate);
  pass.shrink = static_cast<float>(1 - step.rate * step.decay);
  pass.square_correction = static_cast<float>(adam ? 1 / (1 - std::pow(kAdamSquare, t)) : 1);
  pass.is_bfloat16 = is_bfloat16;
  pass.seed = step.seed;
  pass.first_row = step.first_row;
  pass.table = table.mutable_data_ptr();
  pass.squares = state.squares.data_ptr<float>();
  pass.means = state.means.defined() ? state.means.data_ptr<float>() : nullptr;
  const auto on_gpu = [&](void* stream) {
    const torch::Tensor starts = torch::empty({1 + ids.size(0)}, sorted.ids.options());
    starts.slice(0, 0, 1).zero_();
    pass.starts = starts.data_ptr<std::int32_t>();
    kernels::update_rows_cuda(pass, stream);
  };
  dispatch(table.device(), [&] { kernels::update_rows_cpu(pass); }, on_gpu);
}

}  // namespace hasa
