#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace hasa {

/// An epoch as metrics.jsonl tells it: its mean loss, and how the model did on the validation split where it was asked.
struct TrainingEpoch {
  double epoch = 0;
  std::optional<double> loss, valid_mrr;
};

/// Lines of metrics.jsonl. A line that is not whole, as of a training that was killed while it wrote, is left out.
std::vector<TrainingEpoch> parse_training_curve(std::string_view metrics_jsonl);
/// Empty where there is no such file: models that are fitted without epochs have none.
std::vector<TrainingEpoch> read_training_curve(const std::filesystem::path& metrics_jsonl);

}  // namespace hasa
