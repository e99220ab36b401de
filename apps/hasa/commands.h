#pragma once

#include <CLI/CLI.hpp>

namespace hasa {

/// Each adds one subcommand to the program; parsing the command line runs it.
void add_import(CLI::App& program);
void add_info(CLI::App& program);
void add_tokenize(CLI::App& program);
void add_encode(CLI::App& program);
void add_train(CLI::App& program);
void add_search(CLI::App& program);
void add_eval(CLI::App& program);
void add_compare(CLI::App& program);
void add_predict(CLI::App& program);
void add_demo(CLI::App& program);
void add_bench(CLI::App& program);
void add_config(CLI::App& program);
void add_version(CLI::App& program);

}  // namespace hasa
