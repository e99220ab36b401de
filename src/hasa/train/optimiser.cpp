#include "hasa/train/optimiser.h"

#include <algorithm>

#include "hasa/train/adagrad.h"
#include "hasa/train/adamw.h"

namespace hasa {

double RateSchedule::factor(std::int64_t step, std::int64_t total) const {
  if (step < warmup_steps) return static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
  if (!decay) return 1;
  const double left =
      static_cast<double>(total - step) / static_cast<double>(std::max<std::int64_t>(1, total - warmup_steps));
  return std::clamp(left, 0.0, 1.0);
}

torch::Tensor clip_gradients(const std::vector<torch::Tensor>& gradients, double clip) {
  torch::Tensor length = torch::stack(torch::_foreach_norm(gradients)).norm();
  // No value leaves the device.
  if (clip > 0) torch::_foreach_mul_(gradients, (clip / (length + 1e-6)).clamp_max(1.0));
  return length;
}

std::unique_ptr<Optimiser> make_optimiser(const Parameters& parameters, const OptimiserConfig& config) {
  switch (config.kind) {
    case OptimiserKind::adamw: return std::make_unique<AdamW>(parameters, config);
    case OptimiserKind::adagrad:
    case OptimiserKind::row_adagrad: return std::make_unique<Adagrad>(parameters, config);
  }
  return nullptr;
}

}  // namespace hasa
