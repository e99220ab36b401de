#include "hasa/train/text_portions.h"

#include <ATen/core/grad_mode.h>

#include <numeric>

#include "hasa/ops/core/region.h"
#include "hasa/train/generator_states.h"

namespace hasa {

std::vector<PackedTokens> portions_of(const PackedInputs& inputs, std::int64_t most_tokens,
                                      const torch::Device& device) {
  const TokenRows rows{inputs.ids, inputs.offsets, inputs.segments};
  std::vector<std::int64_t> order(inputs.size());
  std::iota(order.begin(), order.end(), 0);
  const std::int64_t most = most_tokens > 0 ? most_tokens : static_cast<std::int64_t>(inputs.ids.size());
  std::vector<PackedTokens> portions;
  for (const auto& part : batches_within(rows, order, most)) {
    const PackedTokens portion = pack(rows, part);
    portions.push_back(device.is_cpu() ? portion : portion.pinned());
  }
  return portions;
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

}  // namespace hasa
