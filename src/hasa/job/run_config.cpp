#include "hasa/job/run_config.h"

#include "hasa/base/error.h"

namespace hasa {
namespace {

/// The member of the chosen family that `select` names, or null where it has none.
template <class Member, class Config, class Select>
Member* part_of(Config& config, const Select& select) {
  return std::visit(
      [&](auto& family) -> Member* {
        if constexpr (requires { select(family); }) {
          return &select(family);
        } else {
          return nullptr;
        }
      },
      config.family);
}

constexpr auto kLanguageModel = [](auto& family) -> auto&
  requires requires { family.language_model; }
{ return family.language_model; };
constexpr auto kSchedule = [](auto& family) -> auto&
  requires requires { family.train; }
{ return family.train; };
constexpr auto kText = [](auto& family) -> auto&
  requires requires { family.text; }
{ return family.text; };

}  // namespace

void check_options(const RunConfig& config, const torch::Device& device) {
  std::visit(
      [&](const auto& family) {
        if constexpr (requires { check(family, device); }) check(family, device);
      },
      config.family);
}

const ScheduleConfig* schedule_of(const RunConfig& config) { return part_of<const ScheduleConfig>(config, kSchedule); }
const TextConfig* text_of(const RunConfig& config) { return part_of<const TextConfig>(config, kText); }
const LanguageModelConfig* language_model_of(const RunConfig& config) {
  return part_of<const LanguageModelConfig>(config, kLanguageModel);
}
LanguageModelConfig* language_model_of(RunConfig& config) {
  return part_of<LanguageModelConfig>(config, kLanguageModel);
}

ModelFacts facts_of(const RunConfig& config) {
  return std::visit([](const auto& family) { return facts(family); }, config.family);
}

std::unique_ptr<Learner> make_learner(const RunConfig& config, const TrainContext& context) {
  return std::visit(
      [&](const auto& family) -> std::unique_ptr<Learner> {
        if constexpr (requires { make_learner(family, context); }) {
          return make_learner(family, context);
        } else {
          fail(ErrorKind::config, "model.type={} is fitted in one pass and takes no training steps", family.kTag);
        }
      },
      config.family);
}

}  // namespace hasa
