#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/nn/parameter.h"

namespace hasa {

/// adagrad divides by the root of the accumulated squares, per weight; row_adagrad by that
/// of their mean over a row, with one accumulator per row of a table.
enum class OptimiserKind { adamw, adagrad, row_adagrad };
inline EnumNames<OptimiserKind> names_of(OptimiserKind) {
  return {{OptimiserKind::adamw, "adamw"},
          {OptimiserKind::adagrad, "adagrad"},
          {OptimiserKind::row_adagrad, "row_adagrad"}};
}

/// The learning rate schedule of a run.
struct RateSchedule {
  std::int64_t warmup_steps = 0;
  bool decay = true;

  /// The factor on every learning rate at a step of
  /// `total`: linear warm-up, then linear decay to 0, or constant.
  double factor(std::int64_t step, std::int64_t total) const;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("warmup_steps", &RateSchedule::warmup_steps, "warm-up steps, over which the learning rates rise from 0",
          Range{0, 1e9});
    field("decay", &RateSchedule::decay,
          "decay every learning rate linearly to 0 at the last step; otherwise constant after warm-up");
  }
};

/// Optimiser options. A family's config exposes only those that mean something to it.
struct OptimiserConfig : RateSchedule {
  OptimiserKind kind = OptimiserKind::adamw;
  double lr = 2e-3;
  double language_model_lr = 5e-5;
  double scale_lr = 0;
  double weight_decay = 1e-4;
  double clip = 0;
  double average = 0;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = OptimiserConfig;
    field("lr", &C::lr, "peak learning rate of the new layers", Range{0, 10});
    field("weight_decay", &C::weight_decay, "weight decay (decoupled, multiplied by the learning rate)", Range{0, 10});
    field("clip", &C::clip, "maximum gradient norm over all parameters; 0: no clipping", Range{0, 1e6});
    field("average", &C::average,
          "decay of a moving average of the weights, which is then what is validated and saved: 0.999 averages about "
          "the last thousand steps, 1 all of them; 0: no average, the weights themselves",
          Range{0, 1});
    RateSchedule::fields(field);
  }
};

/// For models whose cosine has a learned scale.
struct ScaledOptimiserConfig : OptimiserConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    OptimiserConfig::fields(field);
    field("scale_lr", &OptimiserConfig::scale_lr, "learning rate of the learned scale, without weight decay; 0: as lr",
          Range{0, 10});
  }
};

/// For models that also fine-tune a language model.
struct TextOptimiserConfig : ScaledOptimiserConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    ScaledOptimiserConfig::fields(field);
    field("language_model_lr", &OptimiserConfig::language_model_lr, "learning rate of the language model",
          Range{0, 10});
  }
};

/// For models with a vector per entity.
struct TableOptimiserConfig : OptimiserConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    field("kind", &OptimiserConfig::kind,
          "adagrad keeps one value per weight, row_adagrad one per vector, adamw two per weight");
    OptimiserConfig::fields(field);
  }
};

/// The global gradient norm, on the device; gradients are clipped to
/// `clip` if that is not 0. Needs at least one gradient.
torch::Tensor clip_gradients(const std::vector<torch::Tensor>& gradients, double clip);

/// Updates parameters by their gradients.
class Optimiser {
 public:
  virtual ~Optimiser() = default;

  /// Applies the gradients at `factor` times the learning rates, then clears them. A parameter
  /// without a gradient is not changed. Returns the gradient norm before clipping, on the device.
  virtual torch::Tensor step(double factor) = 0;
  /// Its state for a checkpoint.
  virtual NamedTensors state() const = 0;
};

std::unique_ptr<Optimiser> make_optimiser(const Parameters& parameters, const OptimiserConfig& config);

}  // namespace hasa
