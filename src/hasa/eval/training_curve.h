#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace hasa {

/// An epoch in metrics.jsonl: its mean loss, and its validation metrics if it was validated.
struct TrainingEpoch {
  double epoch = 0;
  std::optional<double> loss, valid_mrr;
};

/// Lines of metrics.jsonl. An incomplete line, of a process killed while writing, is skipped.
std::vector<TrainingEpoch> parse_training_curve(std::string_view metrics_jsonl);
/// Empty if there is no such file: models fitted without epochs have none.
std::vector<TrainingEpoch> read_training_curve(const std::filesystem::path& metrics_jsonl);

}  // namespace hasa
