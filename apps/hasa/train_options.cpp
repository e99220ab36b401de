#include "train_options.h"

#include "hasa/base/file.h"

namespace hasa {

void TrainOptions::add_to(CLI::App& command, bool needs_config) {
  command.add_option("--config", config, "YAML file of options")->required(needs_config);
  command.add_option("--set", assignments, "override an option of the file, such as train.epochs=3; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--memory-limit", memory_limit, "limit on GPU memory, such as 16G: the option memory_limit");
  command.footer([] {
    RunConfig defaults;
    return "Options of the config file, with their defaults:\n" + to_help(fields_of(defaults));
  });
}

RunConfig TrainOptions::read(const std::string& otherwise) const {
  RunConfig result;
  const std::string& file = config.empty() ? otherwise : config;
  if (!file.empty()) apply_yaml(fields_of(result), read_file(file), file);
  for (const std::string& assignment : assignments) apply_assignment(fields_of(result), assignment);
  if (!memory_limit.empty()) apply_assignment(fields_of(result), "memory_limit=" + memory_limit);
  return result;
}

}  // namespace hasa
