#include "completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/error.h"

namespace hasa {
namespace {

struct OptionWords {
  std::string name;  // "config", without dashes
  std::string description;
  bool takes_value;
};

struct CommandWords {
  std::string name, description;
  std::vector<OptionWords> options;
};

std::vector<OptionWords> options_of(const CLI::App& app) {
  std::vector<OptionWords> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      words.push_back({name, option->get_description(), option->get_items_expected_max() > 0});
  }
  return words;
}

std::vector<CommandWords> commands_of(const CLI::App& program) {
  std::vector<CommandWords> words;
  for (const CLI::App* command : program.get_subcommands({}))
    words.push_back({command->get_name(), command->get_description(), options_of(*command)});
  return words;
}

std::string dashed(const std::vector<OptionWords>& options) {
  std::string words;
  for (const OptionWords& option : options) words += (words.empty() ? "--" : " --") + option.name;
  return words;
}

std::string names_of(const std::vector<CommandWords>& commands) {
  std::string names;
  for (const CommandWords& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

/// Also in zsh, whose bashcompinit provides bash's completion.
std::string bash_script(const CLI::App& program, const std::vector<std::string>& keys) {
  const std::vector<CommandWords> commands = commands_of(program);
  std::string cases;
  for (const CommandWords& command : commands)
    cases += fmt::format("    {}) words='{}';;\n", command.name, dashed(command.options));
  return fmt::format(R"(_hasa() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "${{COMP_WORDS[i]}}" in
      -*) ;;
      *) command="${{COMP_WORDS[i]}}"; break;;
    esac
  done
  if [[ "$previous" == --set ]]; then
    compopt -o nospace 2>/dev/null
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  case "$command" in
    '') words='{} {}';;
    help) words='{}';;
    completion) words='bash zsh fish';;
{}  esac
  case "$command:$current" in
    :*|help:*|completion:*|*:-*) COMPREPLY=($(compgen -W "$words" -- "$current"));;
  esac
}}
complete -o default -F _hasa hasa
)",
                     fmt::format("{}=", fmt::join(keys, "= ")), names_of(commands), dashed(options_of(program)),
                     names_of(commands), cases);
}

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("\\'", at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return "'" + text + "'";
}

std::string fish_script(const CLI::App& program, const std::vector<std::string>& keys) {
  std::string script;
  const auto add_options = [&](const std::vector<OptionWords>& options, const std::string& condition) {
    for (const OptionWords& option : options) {
      const std::string values = option.name == "set"
                                     ? fmt::format(" -x -a {}", quoted(fmt::format("{}=", fmt::join(keys, "= "))))
                                 : option.takes_value ? " -r"
                                                      : "";
      script +=
          fmt::format("complete -c hasa{} -l {}{} -d {}\n", condition, option.name, values, quoted(option.description));
    }
  };
  add_options(options_of(program), "");
  const std::vector<CommandWords> commands = commands_of(program);
  for (const CommandWords& command : commands) {
    script += fmt::format("complete -c hasa -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          quoted(command.description));
    add_options(command.options, fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name));
  }
  script +=
      fmt::format("complete -c hasa -f -n '__fish_seen_subcommand_from help' -a {}\n", quoted(names_of(commands)));
  return script + "complete -c hasa -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
}

}  // namespace

std::string completion_script(const CLI::App& program, const std::vector<std::string>& keys, const std::string& shell) {
  if (shell == "bash") return bash_script(program, keys);
  if (shell == "zsh")
    return "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n" + bash_script(program, keys);
  if (shell == "fish") return fish_script(program, keys);
  fail(ErrorKind::config, "no completion for {}; expected bash, zsh or fish", shell);
}

}  // namespace hasa
