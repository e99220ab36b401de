#include "hasa/train/stop_signal.h"

#include <csignal>

namespace hasa {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

void on_signal(int) { stop_requested = 1; }

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // Back to the default after the first, so that a second signal is obeyed whatever happens.
  action.sa_flags = static_cast<int>(handler == SIG_DFL ? 0 : SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  stop_requested = 0;
  handle(on_signal);
}

StopSignal::~StopSignal() { handle(SIG_DFL); }

bool StopSignal::requested() const { return stop_requested != 0; }

}  // namespace hasa
