#include "hasa/run/metrics_log.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/eval/metrics_json.h"

namespace hasa {
namespace {

/// A line cut off by a crash does not count.
bool is_record_up_to(const std::string& line, std::int64_t epochs_done) {
  const auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("epoch") || !record["epoch"].is_number_integer()) return false;
  return record["epoch"].get<std::int64_t>() <= epochs_done;
}

}  // namespace

MetricsLog::MetricsLog(std::filesystem::path file, std::int64_t epochs_done) : file_(std::move(file)) {
  std::string kept;
  if (std::filesystem::exists(file_)) {
    std::istringstream lines(read_file(file_));
    for (std::string line; std::getline(lines, line);) {
      if (is_record_up_to(line, epochs_done)) kept += line + "\n";
    }
  }
  write_file(file_, kept);
}

std::string to_json(const EpochRecord& record) {
  nlohmann::ordered_json json{{"epoch", record.epoch},
                              {"loss", record.loss},
                              {"seconds", record.seconds},
                              {"triples_per_second", record.triples_per_second}};
  if (record.tokens_per_second > 0) json["tokens_per_second"] = record.tokens_per_second;
  if (record.share_of_peak) json["share_of_peak"] = *record.share_of_peak;
  if (record.peak_bytes > 0) json["peak_bytes"] = record.peak_bytes;
  for (const auto& [name, value] : record.metrics) json[name] = value;
  if (record.valid) json["valid"] = json_of(*record.valid);
  return json.dump();
}

void MetricsLog::add(const EpochRecord& record) {
  std::ofstream out(file_, std::ios::app);
  out << to_json(record) << "\n" << std::flush;
  HASA_CHECK(out.good(), io, "cannot write {}", file_.string());
}

}  // namespace hasa
