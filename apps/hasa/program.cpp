#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "commands.h"
#include "hasa/base/cpu_features.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/mapped_file.h"
#include "hasa/base/progress.h"
#include "hasa/dist/job.h"
#include "hasa/ops/core/default_threads.h"
#include "hasa/ops/core/out_of_memory.h"
#include "program.h"

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

/// Further lines of a message are aligned with the first.
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
      use_threads(threads);
    } else {
      use_as_many_threads_as_cores();
    }
    log_debug("{} threads; {}", at::get_num_threads(), describe_cpu());
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

/// Inside a signal handler, where little else is allowed.
void end_with_lost_file(const char* file) {
  for (const char* part : {"\nerror: ", file, " was truncated, or its disk failed, while being read\n"}) {
    (void)!::write(STDERR_FILENO, part, std::strlen(part));
  }
  ::_exit(kFailed);
}

int run(int argc, char** argv) {
  CLI::App program("hasa completes knowledge graphs from their text.", "hasa");
  GlobalOptions options;
  program.add_flag("-q,--quiet", options.quiet, "only warnings, no progress bars");
  program.add_flag("-v,--verbose", options.verbose, "say more");
  program
      .add_option("--threads", options.threads,
                  "number of threads; the default is one per core available to this process")
      ->check(CLI::Range(1, 1024));
  program.set_version_flag(
      "--version",
      [] {
        std::string words = version_words();
        words.pop_back();  // CLI11 ends the line
        return words;
      },
      "show what this program was built from");
  program.parse_complete_callback([&options] { options.apply(); });
  program.require_subcommand(1);
  program.fallthrough();
  for (const auto add : {add_demo,   add_import, add_info,    add_audit,      add_split,    add_export,   add_train,
                         add_search, add_fuse,   add_eval,    add_compare,    add_classify, add_predict,  add_score,
                         add_links,  add_index,  add_serve,   add_study,      add_report,   add_tokenize, add_encode,
                         add_bench,  add_config, add_version, add_completion, add_help}) {
    add(program);
  }
  const std::string command = command_word(argc, argv);
  check_command(program, command);  // CLI11 says only that a command is missing
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    const bool asked_for_help = problem.get_exit_code() == 0;
    if (asked_for_help) return program.exit(problem);
    const std::string words = command.empty() ? "no command given" : problem.what();
    print_error(fmt::format("{}\nsee hasa {}", words, command.empty() ? "--help" : command + " --help"));
    return kWrongUse;
  }
  HASA_CHECK(std::fflush(stdout) == 0, io, "cannot write the results: is the disk full?");
  return 0;
}

}  // namespace
}  // namespace hasa

namespace {

int guarded_run(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the user's limit makes a write fail instead of ending the process
  hasa::on_lost_page(hasa::end_with_lost_file);
  try {
    try {
      return hasa::run(argc, argv);
    } catch (const std::exception& problem) {
      hasa::fail_if_out_of_memory(problem, "memory for this command", "a smaller graph or model, or a larger machine");
      throw;
    }
  } catch (const hasa::Error& error) {
    hasa::print_error(error.what());
    return hasa::exit_code(error.kind());
  } catch (const c10::Error& error) {
    hasa::print_error(std::string("internal: ") + error.what_without_backtrace());
  } catch (const std::filesystem::filesystem_error& error) {
    hasa::print_error(error.what());
    return hasa::kWrongUse;
  } catch (const std::system_error& error) {
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    hasa::print_error(no_thread ? "a thread cannot be started\nraise the limit on processes (ulimit -u, or the "
                                  "container's), or end other programs"
                                : std::string("internal: ") + error.what());
  } catch (const std::exception& error) {
    hasa::print_error(std::string("internal: ") + error.what());
  }
  return hasa::kFailed;
}

}  // namespace

int hasa_program(int argc, char** argv) {
  // Steps differ in shape: without this the GPU allocator
  // keeps blocks of all sizes until memory runs out.
  if (std::getenv("PYTORCH_ALLOC_CONF") == nullptr) {
    setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", /*overwrite=*/0);
  }
  const int code = guarded_run(argc, argv);
  if (hasa::must_end_at_once()) {
    std::fflush(nullptr);
    std::_Exit(code);
  }
#ifdef HASA_CUDA
  // LibTorch destroys its operators at exit, and with its CUDA libraries loaded that
  // ends in an invalid free. All our files are closed and written by now.
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
