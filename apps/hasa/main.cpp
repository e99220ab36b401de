#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/nearest.h"
#include "hasa/base/progress.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

/// The one place that maps errors to exit codes.
int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::config:
    case ErrorKind::data: return kWrongUse;
    case ErrorKind::io:
    case ErrorKind::shape:
    case ErrorKind::numeric:
    case ErrorKind::unavailable: return kFailed;
  }
  return kFailed;
}

/// Further lines of a message stand under the first.
void print_error(std::string message) {
  for (std::size_t at = 0; (at = message.find('\n', at)) != std::string::npos; at += 8)
    message.insert(at + 1, "       ");
  clear_progress_line();
  std::fprintf(stderr, "error: %s\n", message.c_str());
}

struct GlobalOptions {
  bool quiet = false;
  bool verbose = false;
  std::size_t threads = 0;

  void apply() const {
    if (quiet) set_log_level(LogLevel::warning);
    if (verbose) set_log_level(LogLevel::debug);
    set_progress_enabled(!quiet);
    if (threads > 0) {
      set_thread_count(threads);
      at::set_num_threads(static_cast<int>(threads));
    }
  }
};

/// The first word that is neither an option nor the value of one; "" if there is none.
std::string command_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--threads") {
      ++i;
    } else if (argv[i][0] != '-') {
      return argv[i];
    }
  }
  return "";
}

/// CLI11 says only that a subcommand is missing when one is misspelt.
void check_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (word.empty() || std::find(names.begin(), names.end(), word) != names.end()) return;
  std::string advice = did_you_mean(word, names);
  if (advice.empty()) advice = fmt::format("; expected one of {}", fmt::join(names, ", "));
  fail(ErrorKind::config, "there is no command {}{}", word, advice);
}

int run(int argc, char** argv) {
  CLI::App program("hasa completes knowledge graphs from their text.", "hasa");
  GlobalOptions options;
  program.add_flag("-q,--quiet", options.quiet, "no progress, and only warnings");
  program.add_flag("-v,--verbose", options.verbose, "say more");
  program.add_option("--threads", options.threads, "threads to use; the default is one for each core")
      ->check(CLI::Range(1, 1024));
  program.parse_complete_callback([&options] { options.apply(); });
  program.require_subcommand(1);
  program.fallthrough();
  for (const auto add : {add_demo, add_import, add_info, add_train, add_search, add_eval, add_compare, add_predict,
                         add_tokenize, add_encode, add_bench, add_config, add_version}) {
    add(program);
  }
  check_command(program, command_word(argc, argv));
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    const bool asked_for_help = problem.get_exit_code() == 0;
    if (asked_for_help) return program.exit(problem);
    print_error(std::string(problem.what()) + "\nhasa --help, and hasa COMMAND --help, tell what is expected");
    return kWrongUse;
  }
  HASA_CHECK(std::fflush(stdout) == 0, io, "cannot write the results: is the disk full?");
  return 0;
}

}  // namespace
}  // namespace hasa

int guarded_run(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the user's limit is a write that fails, not the end
  try {
    return hasa::run(argc, argv);
  } catch (const hasa::Error& error) {
    hasa::print_error(error.what());
    return hasa::exit_code(error.kind());
  } catch (const c10::OutOfMemoryError& error) {
    hasa::print_error(std::string("out of GPU memory\ntry a smaller train.batch or text.max_tokens\n") +
                      error.what_without_backtrace());
  } catch (const c10::Error& error) {
    hasa::print_error(std::string("internal: ") + error.what_without_backtrace());
  } catch (const std::filesystem::filesystem_error& error) {
    hasa::print_error(error.what());
    return hasa::kWrongUse;
  } catch (const std::bad_alloc&) {
    hasa::print_error("out of memory");
  } catch (const std::exception& error) {
    hasa::print_error(std::string("internal: ") + error.what());
  }
  return hasa::kFailed;
}

int main(int argc, char** argv) {
  // Steps differ in shape: without this the allocator of a GPU's memory keeps blocks of all sizes until nothing is
  // left.
  if (std::getenv("PYTORCH_ALLOC_CONF") == nullptr) {
    setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", /*overwrite=*/0);
  }
  const int code = guarded_run(argc, argv);
#ifdef HASA_CUDA
  // LibTorch takes its operators apart when the process ends, and with its CUDA libraries loaded that ends in
  // an invalid free. Everything of ours is closed and written by now.
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
