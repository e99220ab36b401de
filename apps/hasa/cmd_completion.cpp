#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "completion.h"
#include "hasa/base/config.h"
#include "hasa/job/run_config.h"
#include "output.h"

namespace hasa {
namespace {

/// Every option's key. to_help() has a line "  key=default  (type)" for each.
std::vector<std::string> keys_of(const std::string& help) {
  std::vector<std::string> keys;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find('\n', at), help.size());
    const std::string_view line = std::string_view(help).substr(at, end - at);
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view key =
        line.substr(first, line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.", first) - first);
    if (line.starts_with("  ") && line.substr(first + key.size()).starts_with('=')) keys.emplace_back(key);
    at = end + 1;
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

void add_completion(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("completion", "print a script that completes commands and options in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  command->footer(
      "In ~/.bashrc:  source <(hasa completion bash)\nIn ~/.zshrc:   source <(hasa completion zsh)\n"
      "For fish:      hasa completion fish > ~/.config/fish/completions/hasa.fish");
  command->callback([shell, &program] {
    RunConfig defaults;
    print(completion_script(program, keys_of(to_help(fields_of(defaults))), *shell));
  });
}

}  // namespace hasa
