#include "hasa/train/text_portions.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "hasa/model/read_texts.h"
#include "hasa/ops/core/region.h"
#include "hasa/train/generator_states.h"

namespace hasa {

namespace {

void for_each_portion(const PackedInputs& inputs, std::int64_t most_tokens,
                      const std::function<void(const TokenRows&, std::span<const std::int64_t>)>& visit) {
  const TokenRows rows = rows_of(inputs);
  std::vector<std::int64_t> order(inputs.size());
  std::iota(order.begin(), order.end(), 0);
  const std::int64_t most = most_tokens > 0 ? most_tokens : static_cast<std::int64_t>(inputs.ids.size());
  for (const auto& part : batches_within(rows, order, most)) visit(rows, part);
}

/// Where each process's texts of a portion begin, and the end: [size + 1]. Texts go to the process in whose part of the
/// tokens their middle lies.
std::vector<std::size_t> bounds_of(const TokenRows& rows, std::span<const std::int64_t> portion, int size) {
  std::int64_t all = 0, before = 0;
  for (const std::int64_t row : portion) all += rows.length(row);
  std::vector<std::size_t> bounds{0};
  for (std::size_t i = 0; i < portion.size(); ++i) {
    const std::int64_t twice_middle = 2 * before + rows.length(portion[i]);
    while (static_cast<std::int64_t>(bounds.size()) * 2 * all <= twice_middle * size) bounds.push_back(i);
    before += rows.length(portion[i]);
  }
  bounds.resize(static_cast<std::size_t>(size) + 1, portion.size());
  return bounds;
}

}  // namespace

std::vector<PackedTokens> portions_of(const PackedInputs& inputs, std::int64_t most_tokens,
                                      const torch::Device& device) {
  std::vector<PackedTokens> portions;
  for_each_portion(inputs, most_tokens, [&](const TokenRows& rows, std::span<const std::int64_t> part) {
    const PackedTokens portion = pack(rows, part);
    portions.push_back(device.is_cpu() ? portion : portion.pinned());
  });
  return portions;
}

SharedPortions shared_portions_of(const PackedInputs& inputs, std::int64_t most_tokens, const torch::Device& device,
                                  const Comm& comm) {
  SharedPortions shared;
  if (comm.alone()) {
    shared.own = portions_of(inputs, most_tokens, device);
    std::int64_t row = 0;
    for (const PackedTokens& portion : shared.own) {
      shared.first_row.push_back(row);
      row += portion.texts();
    }
    return shared;
  }
  std::int64_t before = 0;  // texts of the portions before
  for_each_portion(inputs, most_tokens, [&](const TokenRows& rows, std::span<const std::int64_t> part) {
    const std::vector<std::size_t> bounds = bounds_of(rows, part, comm.size());
    std::vector<std::int64_t> texts;
    for (std::size_t r = 0; r + 1 < bounds.size(); ++r)
      texts.push_back(static_cast<std::int64_t>(bounds[r + 1] - bounds[r]));
    const auto rank = static_cast<std::size_t>(comm.rank());
    const std::size_t count = bounds[rank + 1] - bounds[rank];
    PackedTokens own = pack(rows, count > 0 ? part.subspan(bounds[rank], count) : part.first(1));
    own.first_text = static_cast<std::int64_t>(count > 0 ? bounds[rank] : 0);
    for (const std::int64_t row : part.first(static_cast<std::size_t>(own.first_text)))
      own.first_token += rows.length(row);
    shared.first_row.push_back(before + own.first_text);
    before += std::ssize(part);
    shared.own.push_back(device.is_cpu() ? own : own.pinned());
    shared.shares.push_back(std::move(texts));
  });
  return shared;
}

void backward_at_once(const PortionReading& step) {
  std::vector<torch::Tensor> parts;
  for (std::size_t i = 0; i < step.portions; ++i) parts.push_back(step.read(i));
  torch::Tensor loss;
  {
    const Region region("loss");
    loss = step.loss(parts.size() == 1 ? parts[0] : torch::cat(parts));
  }
  const Region region("backward");
  loss.backward();
  step.collect();
}

void backward_in_portions(const PortionReading& step) {
  const Region region("portions");
  std::vector<torch::Tensor> parts;
  std::vector<GeneratorStates> states;
  {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < step.portions; ++i) {
      states.push_back(GeneratorStates::of(step.device));
      parts.push_back(step.read(i));
    }
  }
  const torch::Tensor texts = torch::cat(parts).requires_grad_();
  step.loss(texts).backward();
  const GeneratorStates after = GeneratorStates::of(step.device);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < step.portions; ++i) {
    states[i].restore();
    const torch::Tensor again = step.read(i);
    if (!again.requires_grad()) break;  // only new layers are trained
    again.backward(texts.grad().narrow(0, first, again.size(0)));
    step.collect();
    first += again.size(0);
  }
  after.restore();
}

void backward_together(const PortionReading& step, const PortionShares& shares, Comm& comm) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  const auto read_own = [&](std::size_t i) { return step.read(i).narrow(0, 0, shares[i][rank]); };
  std::vector<GeneratorStates> states;
  std::vector<torch::Tensor> own, parts;
  {
    const at::AutoGradMode gradients(step.at_once);
    for (std::size_t i = 0; i < step.portions; ++i) {
      if (!step.at_once) states.push_back(GeneratorStates::of(step.device));
      const torch::Tensor vectors = read_own(i);
      parts.push_back(comm.gather_rows(vectors.detach(), shares[i]));
      if (step.at_once) own.push_back(vectors);
    }
  }
  const torch::Tensor texts = torch::cat(parts).requires_grad_();
  {
    const Region region("loss");
    step.loss(texts).backward();
  }
  const Region region("backward");
  std::vector<torch::Tensor> grads;  // of this process's texts
  std::int64_t first = 0;
  for (std::size_t i = 0; i < step.portions; ++i) {
    const std::int64_t before = std::accumulate(shares[i].begin(), shares[i].begin() + comm.rank(), std::int64_t{0});
    grads.push_back(texts.grad().narrow(0, first + before, shares[i][rank]));
    first += parts[i].size(0);
  }
  if (step.at_once) {
    if (!own[0].requires_grad()) return;  // new layers alone are trained
    step.last_pass();
    torch::autograd::backward(own, grads);
    step.collect();
    return;
  }
  const GeneratorStates after = GeneratorStates::of(step.device);
  for (std::size_t i = 0; i < step.portions; ++i) {
    states[i].restore();
    const torch::Tensor again = read_own(i);
    if (!again.requires_grad()) break;
    if (i + 1 == step.portions) step.last_pass();
    again.backward(grads[i]);
    step.collect();
  }
  after.restore();
}

void backward_of_texts(const PortionReading& step, const PortionShares& shares, Comm& comm) {
  if (!comm.alone()) {
    backward_together(step, shares, comm);
  } else {
    step.at_once ? backward_at_once(step) : backward_in_portions(step);
  }
}

}  // namespace hasa
