#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "hasa/dist/job_place.h"

namespace hasa {

/// Keeps this process's sign of life in the job's store and watches those of the others, on a thread of its own, so
/// that whoever waits for a process learns which one is lost. A sign of life carries how many calls of the job the
/// process has entered, by which one that lives but does not get on is found.
class Pulse {
 public:
  /// `store` is a connection that nothing else uses. Waits until every process has made its own.
  Pulse(c10::intrusive_ptr<c10d::Store> store, const JobPlace& place);
  /// Does not wait for a store that hangs: its thread is left behind then, and the process has to end without the usual
  /// farewells (must_end_at_once).
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  /// To be called on entering a call of the job.
  void entered_call();
  /// A process that is known to be lost, or that has ended with an error, in words; nullopt: all seem well.
  std::optional<std::string> trouble() const;
  /// The process that has entered the fewest calls, in words.
  std::string slowest() const;
  /// Tells the others that this process ends, and why unless `reason` is empty. Waits a moment, on the process that
  /// keeps the store, until all have heard.
  void abandon(const std::string& reason) noexcept;
  /// Waits until everybody has left, on the process that keeps the store.
  void leave() noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hasa
