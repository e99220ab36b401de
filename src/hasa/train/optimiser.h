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

/// How the learning rates rise and fall over a run.
struct RateSchedule {
  std::int64_t warmup_steps = 0;
  bool decay = true;

  /// What every learning rate is multiplied by at a step of `total`: linearly up over the warm-up, then linearly down
  /// to 0, or as it is.
  double factor(std::int64_t step, std::int64_t total) const;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("warmup_steps", &RateSchedule::warmup_steps, "steps over which the learning rates rise from 0",
          Range{0, 1e9});
    field("decay", &RateSchedule::decay,
          "let every learning rate fall linearly to 0 at the last step; else it stays after the warm-up");
  }
};

/// What applies gradients. A family's config shows those of its options that mean something to it.
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
    field("lr", &C::lr, "learning rate of new layers after the warm-up", Range{0, 10});
    field("weight_decay", &C::weight_decay, "fraction of a weight taken off in a step of learning rate 1",
          Range{0, 10});
    field("clip", &C::clip, "largest gradient norm over all weights together; 0: no clipping", Range{0, 1e6});
    field("average", &C::average,
          "decay of a moving average of the weights, which is then what is validated and saved: 0.999 averages about "
          "the last thousand steps, 1 all of them; 0: no average, the weights themselves",
          Range{0, 1});
    RateSchedule::fields(field);
  }
};

/// Of models whose cosine has a learned scale.
struct ScaledOptimiserConfig : OptimiserConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    OptimiserConfig::fields(field);
    field("scale_lr", &OptimiserConfig::scale_lr,
          "learning rate of the cosine's learned scale, which is not decayed then; 0: as lr", Range{0, 10});
  }
};

/// Of models that train a language model too.
struct TextOptimiserConfig : ScaledOptimiserConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    ScaledOptimiserConfig::fields(field);
    field("language_model_lr", &OptimiserConfig::language_model_lr, "learning rate of the language model",
          Range{0, 10});
  }
};

/// Of models with a vector for each entity.
struct TableOptimiserConfig : OptimiserConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    field("kind", &OptimiserConfig::kind,
          "adagrad keeps one number for each weight, row_adagrad one for each vector, adamw two for each weight");
    OptimiserConfig::fields(field);
  }
};

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
