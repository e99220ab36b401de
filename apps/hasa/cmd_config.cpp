#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/file.h"
#include "hasa/job/run_config.h"
#include "output.h"

namespace hasa {
namespace {

struct ConfigArguments {
  std::string config;
  std::vector<std::string> assignments;
  bool markdown = false;
};

constexpr const char* kPage =
    "# Options of `hasa train`\n\nWritten by `hasa config --markdown`: change the field lists in the sources, not this "
    "page. Each option is a\nline of the YAML file given with `--config`, and can be set on the command line: "
    "`--set train.epochs=3`.\n`model.type` decides which sections exist.\n\n";

void show(const ConfigArguments& options) {
  RunConfig config;
  if (options.markdown) return print(kPage + to_markdown(fields_of(config)));
  if (!options.config.empty()) apply_yaml(fields_of(config), read_file(options.config), options.config);
  for (const std::string& assignment : options.assignments) apply_assignment(fields_of(config), assignment);
  check_options(config, torch::kCPU);
  print(to_yaml(fields_of(config)));
}

}  // namespace

void add_config(CLI::App& program) {
  CLI::App* command = program.add_subcommand("config", "print every option of a config with its value, as YAML");
  const auto options = std::make_shared<ConfigArguments>();
  command->add_option("--config", options->config, "YAML file of options; without it, the defaults");
  command->add_option("--set", options->assignments, "override an option of the file, such as model.type=text")
      ->allow_extra_args(false);
  command->add_flag("--markdown", options->markdown, "every option of every family, as in docs/config.md");
  command->callback([options] { show(*options); });
}

}  // namespace hasa
