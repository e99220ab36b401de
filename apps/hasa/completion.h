#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace hasa {

/// A script that completes the program's commands, their options and, after --set, the keys of options. `shell`: bash,
/// zsh or fish. Paths are left to the shell.
std::string completion_script(const CLI::App& program, const std::vector<std::string>& keys, const std::string& shell);

}  // namespace hasa
