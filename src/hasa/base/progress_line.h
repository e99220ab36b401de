#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hasa {

/// The state of a long job.
struct ProgressState {
  std::string title;  // "epoch 3/14"
  std::uint64_t done = 0, total = 0;
  std::string unit;  // "triples"
  std::string note;  // "loss 0.94  best valid MRR .671"
  double seconds = 0;
};

/// "epoch 3/14  [#########-----------]  47%  6,812 triples/s  loss 0.94  best valid MRR .671  3:12 left"
///
/// In at most `columns` terminal columns. If that is too narrow it omits the rate, then parts of the
/// note from the end, then the bar, then the time left; a title that is still too long is truncated.
std::string progress_line(const ProgressState& state, std::size_t columns);

/// The line that remains when the job has ended: "encoding  4,234 texts in 0:12  352 texts/s  loss 0.94".
std::string finished_line(const ProgressState& state, std::size_t columns);

/// "3:12" or "1:02:03".
std::string format_duration(double seconds);
/// 12345678 -> "12,345,678".
std::string format_count(std::uint64_t value);

}  // namespace hasa
