#pragma once

#include <csignal>

namespace hasa {

/// While one lives, SIGINT and SIGTERM do not end the program at once: requested() turns true, and the job
/// puts its affairs in order. A second one of the same kind ends it as usual. What handled them before is put back
/// afterwards.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool requested() const;

 private:
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
};

}  // namespace hasa
