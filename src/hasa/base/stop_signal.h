#pragma once

#include <array>
#include <csignal>

#include "hasa/base/error.h"

namespace hasa {

/// Thrown when a job was asked to stop and has saved its state.
class Stopped : public Error {
 public:
  explicit Stopped(const std::string& message) : Error(ErrorKind::unavailable, message) {}
};

/// While one exists, SIGINT, SIGTERM and SIGHUP (a closed terminal) do not end the program at once:
/// requested() becomes true, and the job saves its state. A second signal of the same kind ends
/// it as usual. Previous handlers are restored afterwards. SIGHUP stays ignored if it was, as under nohup.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool requested() const;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

}  // namespace hasa
