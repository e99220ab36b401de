#pragma once

#include <cstdint>
#include <string>

#include "hasa/base/config.h"
#include "hasa/families/families.h"

namespace hasa {

/// The config of `hasa train`, as kept in a run folder.
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

/// Throws config for options that contradict each other, and warns of likely mistakes, before
/// anything is read. What depends on a language model is checked when it is opened.
void check_options(const RunConfig& config, const torch::Device& device);

/// The options of the chosen family that not every family has, or null.
const ScheduleConfig* schedule_of(const RunConfig& config);
const LanguageModelConfig* language_model_of(const RunConfig& config);
LanguageModelConfig* language_model_of(RunConfig& config);
const TextConfig* text_of(const RunConfig& config);

ModelFacts facts_of(const RunConfig& config);

/// The learner of a config, with new weights drawn from the config's seed. Errors in the options
/// or the language model are thrown here. Throws config if the family is fitted without gradient steps.
std::unique_ptr<Learner> make_learner(const RunConfig& config, const TrainContext& context);

}  // namespace hasa
