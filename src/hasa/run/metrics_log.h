#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hasa/eval/metrics.h"

namespace hasa {

/// The metrics of one epoch.
struct EpochRecord {
  std::int64_t epoch = 0;
  double loss = 0;
  double seconds = 0;  // of training alone
  double triples_per_second = 0;
  double tokens_per_second = 0;         // tokens read by the language model; 0 if it is frozen
  std::optional<double> share_of_peak;  // fraction of the chip's peak matrix throughput, if that is known
  std::int64_t peak_bytes = 0;          // peak memory so far: tensors on a GPU, resident memory on a CPU
  std::vector<std::pair<std::string, double>> metrics;  // the learner's metrics, means over the epoch's steps
  std::optional<Scores> valid;
};

/// One JSON object, as in metrics.jsonl.
std::string to_json(const EpochRecord& record);

/// metrics.jsonl: a line per epoch, written when it ends.
class MetricsLog {
 public:
  /// Keeps the lines of the first `epochs_done` epochs, so that a resumed run writes none twice.
  MetricsLog(std::filesystem::path file, std::int64_t epochs_done);
  void add(const EpochRecord& record);

 private:
  std::filesystem::path file_;
};

}  // namespace hasa
