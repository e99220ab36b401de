#include <memory>

#include "commands.h"
#include "hasa/train/train_config.h"
#include "output.h"

namespace hasa {

void add_config(CLI::App& program) {
  CLI::App* command = program.add_subcommand("config", "print every option of hasa train with its default, as YAML");
  const auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "as the table of docs/config.md");
  command->callback([markdown] {
    TrainConfig config;
    if (!*markdown) return print(to_yaml(fields_of(config)));
    print(
        "# Options of `hasa train`\n\nWritten by `hasa config --markdown`: change the field lists in the sources, not "
        "this "
        "page. Each option is a\nline of the YAML file given with `--config`, and can be set on the command line: "
        "`--set train.epochs=3`.\n\n" +
        to_markdown(fields_of(config)));
  });
}

}  // namespace hasa
