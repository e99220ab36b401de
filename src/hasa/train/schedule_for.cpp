#include "hasa/train/schedule_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hasa {
namespace {

/// Below this fraction of the minimum steps a run cannot learn anything.
constexpr std::int64_t kTooShort = 3;

std::int64_t steps_per_epoch(std::int64_t examples, std::int64_t batch) { return (examples + batch - 1) / batch; }

std::int64_t batch_for(std::int64_t examples, const ScheduleRule& rule) {
  const double wanted = rule.batch_factor * std::sqrt(static_cast<double>(examples));
  const auto power_of_two = std::int64_t{1} << std::lround(std::log2(std::max(1.0, wanted)));
  return std::clamp(power_of_two, rule.least_batch, rule.most_batch);
}

}  // namespace

Schedule schedule_for(std::int64_t examples, const Schedule& wanted, const ScheduleRule& rule) {
  Schedule schedule = wanted;
  if (schedule.batch == 0) schedule.batch = batch_for(examples, rule);
  if (schedule.epochs == 0) {
    const std::int64_t steps = steps_per_epoch(examples, schedule.batch);
    schedule.epochs = std::max(rule.least_epochs, (rule.least_steps + steps - 1) / steps);
  }
  return schedule;
}

std::int64_t steps_of(std::int64_t examples, const Schedule& schedule) {
  return schedule.epochs * steps_per_epoch(examples, schedule.batch);
}

std::string short_run_warning(std::int64_t examples, const Schedule& schedule, const ScheduleRule& rule) {
  const std::int64_t steps = steps_of(examples, schedule);
  if (steps * kTooShort >= rule.least_steps) return "";
  const Schedule better = schedule_for(examples, {}, rule);
  return fmt::format(
      "train.epochs={} at train.batch={} is only {} steps, too few to learn from\nby default this graph gets "
      "train.epochs={} at train.batch={}: {} steps",
      schedule.epochs, schedule.batch, steps, better.epochs, better.batch, steps_of(examples, better));
}

}  // namespace hasa
