#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <map>

#include "hasa/ops/score/pair_scores.h"
#include "hasa/ops/table/row_update.h"

namespace hasa {
namespace {

torch::Tensor in_double(const torch::Tensor& t) { return t.detach().to(torch::kCPU, torch::kFloat64).contiguous(); }

/// The sum of each named row's gradients, by id.
std::map<std::int64_t, torch::Tensor> gradients_of(const torch::Tensor& table, const SampledRows& sampled,
                                                   const DirectRows& direct) {
  std::map<std::int64_t, torch::Tensor> sums;
  const auto add = [&](std::int64_t id, const torch::Tensor& gradient) {
    const auto [place, fresh] = sums.try_emplace(id, gradient.clone());
    if (!fresh) place->second += gradient;
  };
  if (sampled.queries.defined()) {
    torch::Tensor ids = sampled.candidates.to(torch::kCPU, torch::kInt64), counts = torch::ones_like(ids);
    if (sampled.cells.defined()) {
      counts.zero_().view(-1).index_fill_(0, sampled.cells.cpu(), 1);
      ids = ids * counts;
    }
    const torch::Tensor queries = in_double(sampled.queries);
    const torch::Tensor rows =
        table.index_select(0, ids.reshape({-1})).view({ids.size(0), ids.size(1), table.size(1)}).requires_grad_();
    const torch::Tensor scores = similarity_reference(queries.unsqueeze(1), rows, sampled.similarity);
    torch::Tensor gradients = in_double(sampled.coefficients);
    // Of a distance d the slope is of d^2 / 2: sampled_loss has divided by -d.
    if (sampled.similarity == Similarity::negative_l2) gradients = gradients * scores.detach();
    const torch::Tensor slopes = torch::autograd::grad({scores}, {rows}, {gradients})[0];
    for (std::int64_t q = 0; q < ids.size(0); ++q) {
      for (std::int64_t j = 0; j < ids.size(1); ++j) {
        if (counts[q][j].item<std::int64_t>() != 0) add(ids[q][j].item<std::int64_t>(), slopes[q][j]);
      }
    }
  }
  if (direct.ids.defined()) {
    const torch::Tensor grads = in_double(direct.grads), ids = direct.ids.cpu();
    for (std::int64_t i = 0; i < grads.size(0); ++i) add(ids[i].item<std::int32_t>(), grads[i]);
  }
  return sums;
}

}  // namespace

RowUpdateReference update_rows_reference(const torch::Tensor& table, const RowState& state, const SampledRows& sampled,
                                         const DirectRows& direct, const RowStep& step) {
  RowUpdateReference after{in_double(table).clone(), {in_double(state.squares).clone(), {}}};
  if (state.means.defined()) after.state.means = in_double(state.means).clone();
  const auto t = static_cast<double>(step.step);
  for (const auto& [id, g] : gradients_of(in_double(table), sampled, direct)) {
    torch::Tensor x = after.table[id], square = after.state.squares[id], change;
    if (step.rule == RowRule::adam) {
      torch::Tensor mean = after.state.means[id];
      mean.mul_(0.9).add_(g * 0.1);
      square.mul_(0.999).add_(g * g * 0.001);
      change = mean / (1 - std::pow(0.9, t)) / ((square / (1 - std::pow(0.999, t))).sqrt() + 1e-8);
    } else {
      square.add_(step.rule == RowRule::adagrad ? g * g : (g * g).mean());
      change = g / (square.sqrt() + 1e-10);
    }
    x.mul_(1 - step.rate * step.decay).sub_(step.rate * change);
  }
  return after;
}

}  // namespace hasa
