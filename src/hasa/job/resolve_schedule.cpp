#include "hasa/job/resolve_schedule.h"

#include <fmt/format.h>

#include "hasa/base/log.h"
#include "hasa/train/schedule_for.h"

namespace hasa {
namespace {

ScheduleRule rule_for(const RunConfig& config) {
  if (std::holds_alternative<FrozenFamily>(config.family)) return {};
  // A batch of texts has to fit the memory, and embedding models differ: the size of the graph does not determine
  // either.
  constexpr std::int64_t kBatch = 256;
  return {.least_batch = kBatch, .most_batch = kBatch, .least_epochs = 10};
}

Schedule schedule_in(const ScheduleConfig& config) { return {.batch = config.batch, .epochs = config.epochs}; }

std::int64_t examples_of(const Graph& graph) {
  return 2 * static_cast<std::int64_t>(graph.triples(Split::train).size());
}

}  // namespace

void resolve_schedule(RunConfig& config, const Graph& graph) {
  const ScheduleConfig* wanted = schedule_of(config);
  if (wanted == nullptr) return;
  const Schedule schedule = schedule_for(examples_of(graph), schedule_in(*wanted), rule_for(config));
  apply_assignment(fields_of(config), fmt::format("train.batch={}", schedule.batch));
  apply_assignment(fields_of(config), fmt::format("train.epochs={}", schedule.epochs));
}

void warn_of_short_run(const RunConfig& config, const Graph& graph) {
  const ScheduleConfig* schedule = schedule_of(config);
  if (schedule == nullptr) return;
  const std::string warning = short_run_warning(examples_of(graph), schedule_in(*schedule), rule_for(config));
  if (!warning.empty()) log_warning("{}", warning);
}

}  // namespace hasa
