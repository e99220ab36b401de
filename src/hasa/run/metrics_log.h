#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hasa/eval/metrics.h"

namespace hasa {

/// What one epoch of training came to.
struct EpochRecord {
  std::int64_t epoch = 0;
  double loss = 0;
  double seconds = 0;  // of training alone
  double triples_per_second = 0;
  double tokens_per_second = 0;         // read by the language model; 0 where it is frozen
  std::optional<double> share_of_peak;  // of the chip's matrix products, where its peak is known
  std::int64_t peak_bytes = 0;          // of memory so far: tensors on a GPU, or resident where the CPU trains
  std::vector<std::pair<std::string, double>> metrics;  // of the learner, means over the epoch's steps
  std::optional<Scores> valid;
};

/// One JSON object, as it stands in metrics.jsonl.
std::string to_json(const EpochRecord& record);

/// metrics.jsonl: a line for each epoch, written as it ends.
class MetricsLog {
 public:
  /// Keeps the lines of the first `epochs_done` epochs, so that a resumed run writes none twice.
  MetricsLog(std::filesystem::path file, std::int64_t epochs_done);
  void add(const EpochRecord& record);

 private:
  std::filesystem::path file_;
};

}  // namespace hasa
