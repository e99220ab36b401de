#pragma once

#include <cstdint>
#include <string>

#include "hasa/base/config.h"
#include "hasa/families/families.h"

namespace hasa {

/// Everything that `hasa train` reads from its config file and a run folder keeps.
struct RunConfig {
  std::string graph;
  std::string device = "auto";
  std::uint64_t seed = 1;
  Family family;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("graph", &RunConfig::graph, "graph folder written by hasa import");
    field("device", &RunConfig::device, "auto (a GPU if there is one), cpu, cuda or cuda:N");
    field("seed", &RunConfig::seed, "seed of the initial weights, the order of the triples and dropout");
    field.family("model", &RunConfig::family, "the model; each type has its own options");
  }
};

/// Throws config for options that contradict each other, and warns of what is likely a mistake; before anything is
/// read, so that nobody waits to be told. What depends on a language model is checked when it is opened.
void check_options(const RunConfig& config, const torch::Device& device);

/// The options of the chosen family that not every family has, or null.
const ScheduleConfig* schedule_of(const RunConfig& config);
const LanguageModelConfig* language_model_of(const RunConfig& config);
LanguageModelConfig* language_model_of(RunConfig& config);
const TextConfig* text_of(const RunConfig& config);

ModelFacts facts_of(const RunConfig& config);

/// What a config trains, its new weights drawn from the config's seed. Whatever is wrong with the options or the
/// language model shows here. Throws config where the family is fitted without gradient steps.
std::unique_ptr<Learner> make_learner(const RunConfig& config, const TrainContext& context);

}  // namespace hasa
