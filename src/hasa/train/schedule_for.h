#pragma once

#include <cstdint>
#include <string>

namespace hasa {

struct Schedule {
  std::int64_t batch = 0;
  std::int64_t epochs = 0;
};

/// Defaults of a kind of model. New layers over a frozen language model work well with a batch size that grows as the
/// square root of the graph; if the batch also provides the candidates, or has to fit a GPU, it must be chosen by hand.
struct ScheduleRule {
  double batch_factor = 5;  // batch = factor * sqrt(examples), rounded to a power of two
  std::int64_t least_batch = 32;
  std::int64_t most_batch = 2048;
  std::int64_t least_steps = 300;
  std::int64_t least_epochs = 7;
};

/// Fills in the zeros of `wanted`. `examples`: number of examples in an epoch, two per triple.
Schedule schedule_for(std::int64_t examples, const Schedule& wanted, const ScheduleRule& rule);

std::int64_t steps_of(std::int64_t examples, const Schedule& schedule);

/// A warning for a run that is too short to learn from, "" for others.
std::string short_run_warning(std::int64_t examples, const Schedule& schedule, const ScheduleRule& rule);

}  // namespace hasa
