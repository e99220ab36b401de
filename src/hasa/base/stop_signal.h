#pragma once

#include <array>
#include <csignal>

#include "hasa/base/error.h"

namespace hasa {

/// Thrown when a job was asked to stop and has put its affairs in order.
class Stopped : public Error {
 public:
  explicit Stopped(const std::string& message) : Error(ErrorKind::unavailable, message) {}
};

/// While one lives, SIGINT, SIGTERM and SIGHUP (a closed terminal) do not end the program at once: requested() turns
/// true, and the job puts its affairs in order. A second one of the same kind ends it as usual. What handled them
/// before is put back afterwards. SIGHUP stays ignored where it is, as under nohup.
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
