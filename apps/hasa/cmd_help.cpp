#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/nearest.h"
#include "output.h"

namespace hasa {

void check_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (word.empty() || std::find(names.begin(), names.end(), word) != names.end()) return;
  std::string advice = did_you_mean(word, names);
  if (advice.empty()) advice = fmt::format("; expected one of {}", fmt::join(names, ", "));
  fail(ErrorKind::config, "unknown command {}{}", word, advice);
}

void add_help(CLI::App& program) {
  CLI::App* command = program.add_subcommand("help", "describe a command, as hasa COMMAND --help does");
  const auto name = std::make_shared<std::string>();
  command->add_option("command", *name, "the command; without one, all commands are listed");
  command->callback([name, &program] {
    check_command(program, *name);
    // program.help() would be that of the command which is run, this one.
    const CLI::App& asked = name->empty() ? program : *program.get_subcommand(*name);
    const std::string called = name->empty() ? program.get_name() : program.get_name() + " " + *name;
    print(program.get_formatter()->make_help(&asked, called, CLI::AppFormatMode::Normal));
  });
}

}  // namespace hasa
