#pragma once

#include <cstdint>
#include <string>

namespace hasa {

struct Schedule {
  std::int64_t batch = 0;
  std::int64_t epochs = 0;
};

/// What suits a kind of model. New layers over a frozen language model do well with a batch that grows as the root of
/// the graph; where a batch is also what answers are told from, or has to fit a GPU, it has to be chosen by hand.
struct ScheduleRule {
  double batch_factor = 5;  // batch = factor * sqrt(examples), rounded to a power of two
  std::int64_t least_batch = 32;
  std::int64_t most_batch = 2048;
  std::int64_t least_steps = 300;
  std::int64_t least_epochs = 7;
};

/// Fills in what is 0 of `wanted`; what is not 0 stays. `examples`: what an epoch goes through, two for a triple.
Schedule schedule_for(std::int64_t examples, const Schedule& wanted, const ScheduleRule& rule);

std::int64_t steps_of(std::int64_t examples, const Schedule& schedule);

/// Words of warning for a run that is too short to learn from, "" for others.
std::string short_run_warning(std::int64_t examples, const Schedule& schedule, const ScheduleRule& rule);

}  // namespace hasa
