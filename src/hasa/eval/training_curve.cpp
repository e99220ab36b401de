#include "hasa/eval/training_curve.h"

#include <nlohmann/json.hpp>

#include "hasa/base/file.h"

namespace hasa {
namespace {

std::optional<double> number_at(const nlohmann::json& json, const char* pointer) {
  const nlohmann::json::json_pointer place(pointer);
  if (!json.contains(place) || !json.at(place).is_number()) return std::nullopt;
  return json.at(place).get<double>();
}

}  // namespace

std::vector<TrainingEpoch> parse_training_curve(std::string_view lines) {
  std::vector<TrainingEpoch> curve;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    const std::optional<double> epoch = number_at(json, "/epoch");
    if (epoch) curve.push_back({*epoch, number_at(json, "/loss"), number_at(json, "/valid/all/mrr")});
  }
  return curve;
}

std::vector<TrainingEpoch> read_training_curve(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  return parse_training_curve(read_file(file));
}

}  // namespace hasa
