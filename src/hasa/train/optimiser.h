#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/nn/parameter.h"

namespace hasa {

/// adagrad divides by the root of all squares so far, number by number; row_adagrad by that of their mean over a row,
/// one number for each row of a table.
enum class OptimiserKind { adamw, adagrad, row_adagrad };
inline EnumNames<OptimiserKind> names_of(OptimiserKind) {
  return {{OptimiserKind::adamw, "adamw"},
          {OptimiserKind::adagrad, "adagrad"},
          {OptimiserKind::row_adagrad, "row_adagrad"}};
}

struct OptimiserConfig {
  OptimiserKind kind = OptimiserKind::adamw;
  double lr = 2e-3;
  double language_model_lr = 5e-5;
  double scale_lr = 0;
  double weight_decay = 1e-4;
  double clip = 0;
  std::int64_t warmup_steps = 0;
  bool decay = true;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = OptimiserConfig;
    field("kind", &C::kind,
          "adamw, or for models with a vector for each entity also adagrad and row_adagrad, which keep one number for "
          "each weight and for each vector");
    field("lr", &C::lr, "rate of new layers after the warm-up", Range{0, 10});
    field("language_model_lr", &C::language_model_lr, "rate of the language model, where it is trained", Range{0, 10});
    field("scale_lr", &C::scale_lr, "rate of the cosine's learned factor, which is not decayed then; 0: as lr",
          Range{0, 10});
    field("weight_decay", &C::weight_decay, "share of a weight taken off in a step of rate 1", Range{0, 10});
    field("clip", &C::clip, "greatest length of the gradient of all weights together; 0 leaves it as it is",
          Range{0, 1e6});
    field("warmup_steps", &C::warmup_steps, "steps over which the rates rise from 0", Range{0, 1e9});
    field("decay", &C::decay, "let every rate fall linearly to 0 at the last step; else it stays after the warm-up");
  }
};

/// What every rate is multiplied with at step `step` of `total`: up linearly over the warm-up, then down linearly
/// to 0, or as it is.
double schedule(const OptimiserConfig& config, std::int64_t step, std::int64_t total);

/// The length of all gradients together, still on the device; where it is above `clip`, and that is not 0, they are
/// shortened to it. At least one gradient.
torch::Tensor clip_gradients(const std::vector<torch::Tensor>& gradients, double clip);

/// Changes parameters by the gradients they hold.
class Optimiser {
 public:
  virtual ~Optimiser() = default;

  /// Applies the gradients at `factor` times the rates, then lets go of them. A parameter without one is left as it is.
  /// Returns the length of the gradient before it was clipped, still on the device.
  virtual torch::Tensor step(double factor) = 0;
  /// What a checkpoint keeps.
  virtual NamedTensors state() const = 0;
};

std::unique_ptr<Optimiser> make_optimiser(const Parameters& parameters, const OptimiserConfig& config);

}  // namespace hasa
