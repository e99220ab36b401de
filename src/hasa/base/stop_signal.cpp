#include "hasa/base/stop_signal.h"

#include <atomic>
#include <csignal>

namespace hasa {
namespace {

std::atomic<bool> stop_requested = false;  // several threads ask for it
static_assert(std::atomic<bool>::is_always_lock_free, "or a signal handler could not write it");

void on_signal(int) { stop_requested = true; }

}  // namespace

StopSignal::StopSignal() {
  stop_requested = false;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  // Back to the default after the first, so that a second signal is obeyed whatever happens.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) continue;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

bool StopSignal::requested() const { return stop_requested; }

}  // namespace hasa
