#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hasa {

/// Each adds one subcommand to the program; parsing the command line runs it.
void add_import(CLI::App& program);
void add_info(CLI::App& program);
void add_audit(CLI::App& program);
void add_split(CLI::App& program);
void add_export(CLI::App& program);
void add_tokenize(CLI::App& program);
void add_encode(CLI::App& program);
void add_train(CLI::App& program);
void add_search(CLI::App& program);
void add_fuse(CLI::App& program);
void add_eval(CLI::App& program);
void add_compare(CLI::App& program);
void add_classify(CLI::App& program);
void add_predict(CLI::App& program);
void add_serve(CLI::App& program);
void add_score(CLI::App& program);
void add_links(CLI::App& program);
void add_index(CLI::App& program);
void add_demo(CLI::App& program);
void add_study(CLI::App& program);
void add_report(CLI::App& program);
void add_bench(CLI::App& program);
void add_config(CLI::App& program);
void add_version(CLI::App& program);
void add_completion(CLI::App& program);
void add_help(CLI::App& program);

/// What `hasa version` and `hasa --version` print.
std::string version_words();

/// Throws config for a word that is neither empty nor a command, and suggests the closest.
void check_command(const CLI::App& program, const std::string& word);

}  // namespace hasa
