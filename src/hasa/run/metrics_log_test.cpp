#include "hasa/run/metrics_log.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using testing::TempDir;

std::vector<nlohmann::json> lines_of(const std::filesystem::path& file) {
  std::istringstream in(read_file(file));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::vector<int> epochs_of(const std::filesystem::path& file) {
  std::vector<int> epochs;
  for (const auto& line : lines_of(file)) epochs.push_back(line.at("epoch"));
  return epochs;
}

EpochRecord epoch(std::int64_t number) { return {.epoch = number, .loss = 0.5}; }

TEST(MetricsLog, WritesALineOfJsonForEachEpoch) {
  const TempDir dir;
  MetricsLog log(dir / "m.jsonl", 0);
  log.add(
      {.epoch = 1, .loss = 0.25, .seconds = 2, .triples_per_second = 1000, .metrics = {{"scale", 20}}, .valid = {}});
  Scores scores;
  scores.all.mrr = 0.5;
  log.add({.epoch = 2, .loss = 0.125, .valid = scores});
  const auto lines = lines_of(dir / "m.jsonl");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].at("epoch"), 1);
  EXPECT_EQ(lines[0].at("loss"), 0.25);
  EXPECT_EQ(lines[0].at("scale"), 20);
  EXPECT_EQ(lines[0].at("seconds"), 2);
  EXPECT_EQ(lines[0].at("triples_per_second"), 1000);
  EXPECT_FALSE(lines[0].contains("valid"));
  EXPECT_EQ(lines[1].at("valid").at("all").at("mrr"), 0.5);
}

TEST(MetricsLog, DropsTheEpochsThatWillBeTrainedAgain) {
  const TempDir dir;
  MetricsLog first(dir / "m.jsonl", 0);
  for (const int number : {1, 2, 3}) first.add(epoch(number));
  MetricsLog second(dir / "m.jsonl", 2);
  second.add(epoch(3));
  second.add(epoch(4));
  EXPECT_THAT(epochs_of(dir / "m.jsonl"), ::testing::ElementsAre(1, 2, 3, 4));
}

TEST(MetricsLog, DropsALineCutOffByACrash) {
  const TempDir dir;
  MetricsLog first(dir / "m.jsonl", 0);
  first.add(epoch(1));
  write_file(dir / "m.jsonl", read_file(dir / "m.jsonl") + "{\"epoch\": 2, \"lo");
  MetricsLog second(dir / "m.jsonl", 2);
  second.add(epoch(3));
  EXPECT_THAT(epochs_of(dir / "m.jsonl"), ::testing::ElementsAre(1, 3));
}

TEST(MetricsLog, DropsLinesThatAreNotEpochs) {
  const TempDir dir;
  write_file(dir / "m.jsonl", "[1]\n\n{\"epoch\": \"one\"}\n{\"loss\": 1}\n{\"epoch\": 1}\n");
  const MetricsLog log(dir / "m.jsonl", 5);
  EXPECT_EQ(read_file(dir / "m.jsonl"), "{\"epoch\": 1}\n");
}

TEST(MetricsLog, SaysWhenItCannotWrite) {
  const TempDir dir;
  MetricsLog log(dir / "m.jsonl", 0);
  std::filesystem::remove(dir / "m.jsonl");
  std::filesystem::create_directory(dir / "m.jsonl");
  EXPECT_ERROR(log.add(epoch(1)), "cannot write");
}

}  // namespace
}  // namespace hasa
