#include "hasa/nn/gru_query.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "hasa/nn/linear.h"

namespace hasa {
namespace {

/// One step: input and hidden parts of the three gates, [rows, 3 dim] each; state undefined for zeros.
torch::Tensor step(const torch::Tensor& input, const torch::Tensor& hidden, const torch::Tensor& state) {
  const auto i = input.chunk(3, 1), h = hidden.chunk(3, -1);
  const torch::Tensor reset = torch::sigmoid(i[0] + h[0]);
  const torch::Tensor update = torch::sigmoid(i[1] + h[1]);
  const torch::Tensor fresh = torch::tanh(i[2] + reset * h[2]);
  return state.defined() ? fresh + update * (state - fresh) : fresh - update * fresh;
}

}  // namespace

GruQuery::GruQuery(std::int64_t dim) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(dim));
  for (torch::Tensor* t : {&weight_input_, &weight_hidden_}) {
    *t = torch::empty({3 * dim, dim}).uniform_(-bound, bound).requires_grad_();
  }
  for (torch::Tensor* t : {&bias_input_, &bias_hidden_}) {
    *t = torch::empty({3 * dim}).uniform_(-bound, bound).requires_grad_();
  }
}

torch::Tensor GruQuery::operator()(const torch::Tensor& heads, const torch::Tensor& relations,
                                   const torch::Tensor& relation_of) const {
  // From a zero state the hidden part of the first step is its bias alone.
  const torch::Tensor first = step(linear(heads, weight_input_, bias_input_), bias_hidden_, {});
  // Asked without gradients, few queries need few of the relations.
  const bool few = !at::GradMode::is_enabled() && relation_of.size(0) < relations.size(0);
  const torch::Tensor input = few ? linear(relations.index_select(0, relation_of), weight_input_, bias_input_)
                                  : linear(relations, weight_input_, bias_input_).index_select(0, relation_of);
  return step(input, linear(first, weight_hidden_, bias_hidden_), first);
}

NamedTensors GruQuery::parameters() const {
  return {{"weight_input", weight_input_},
          {"weight_hidden", weight_hidden_},
          {"bias_input", bias_input_},
          {"bias_hidden", bias_hidden_}};
}

}  // namespace hasa
