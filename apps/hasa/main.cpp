// What must happen before LibTorch's libraries initialise, which is before main(). Functions in .preinit_array run
// first of all: nothing is initialised yet, so they only use what the kernel passed and system calls.

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include "hasa/base/cpu_features.h"
#include "program.h"

namespace {

/// By default a waiting thread of GNU's OpenMP spins for milliseconds. On a busy machine that
/// takes the core from the very thread it is waiting for, and training takes ten times
/// as long. 3,000 spins, some ten microseconds, are harmless there and cost little on an idle machine
/// (docs/performance.md).
constexpr const char* kSpinBriefly = "GOMP_SPINCOUNT=3000";

bool is_set(char** environment, std::string_view name) {
  for (char** each = environment; *each != nullptr; ++each) {
    if (std::strncmp(*each, name.data(), name.size()) == 0 && (*each)[name.size()] == '=') return true;
  }
  return false;
}

/// OpenMP reads the variable once, while it is loaded, so the program restarts itself with it
/// set. The user's own settings are kept. If the restart fails, the program continues as it is.
void start_again_with_brief_spins(int, char** arguments, char** environment) {
  if (is_set(environment, "GOMP_SPINCOUNT") || is_set(environment, "OMP_WAIT_POLICY")) return;
  constexpr int kMostVariables = 4096, kMostOfAPath = 4096;
  static char path[kMostOfAPath];
  static char* extended[kMostVariables + 2];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  int count = 0;
  while (environment[count] != nullptr && count < kMostVariables) {
    extended[count] = environment[count];
    ++count;
  }
  if (length <= 0 || environment[count] != nullptr) return;
  extended[count] = const_cast<char*>(kSpinBriefly);
  ::execve(path, arguments, extended);
}

/// If LibTorch's libraries run out of memory while they initialise, they throw where nothing can catch it.
[[noreturn]] void say_that_starting_failed() {
  std::fputs("error: LibTorch cannot start: there is too little memory\n", stderr);
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    std::fprintf(
        stderr,
        "       the address space of this process is limited to %llu MiB (ulimit -v), and it takes about 1 GiB "
        "to start: allow it more\n",
        static_cast<unsigned long long>(space.rlim_cur >> 20));
  }
  std::_Exit(1);
}

std::terminate_handler ordinary_end = nullptr;
void watch_the_start(int, char**, char**) { ordinary_end = std::set_terminate(say_that_starting_failed); }

using Early = void (*)(int, char**, char**);
[[gnu::section(".preinit_array"), gnu::used]] const Early kEarly[] = {start_again_with_brief_spins, watch_the_start};

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(ordinary_end);
  hasa::limit_onednn_to_this_cpu();
  return hasa_program(argc, argv);
}
