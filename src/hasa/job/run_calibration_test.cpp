#include "hasa/job/run_calibration.h"

#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/testing.h"
#include "hasa/families/popularity/popularity_family.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

using testing::TempDir;

/// A run that takes no time: how often an entity answered the relation.
struct SmallRun {
  TempDir dir;
  TrainedRun trained;

  SmallRun() {
    set_log_level(LogLevel::error);
    SyntheticOptions options;
    options.entities = 60;
    options.relations = 3;
    options.triples = 900;
    options.groups = 6;
    options.split = {.valid = 0.2};
    synthetic_graph(options).save(dir / "graph");
    RunConfig config;
    config.graph = (dir / "graph").string();
    config.device = "cpu";
    config.family = PopularityFamily{};
    train_run(config, dir / "run", /*resume=*/false);
    trained = open_trained(run());
  }
  ~SmallRun() { set_log_level(LogLevel::info); }
  Run run() const { return Run::open(dir / "run"); }
  std::filesystem::path file() const { return dir / "run" / kCalibrationFile; }
  std::optional<Calibration> make() const { return calibration_of(run(), *trained.graph, *trained.scorer); }
};

TEST(RunCalibration, IsFittedAtFirstNeedAndStored) {
  const SmallRun small;
  EXPECT_FALSE(read_calibration(small.run()));
  const auto made = small.make();
  ASSERT_TRUE(made);
  const auto kept = read_calibration(small.run());
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->to_json(), made->to_json());
  EXPECT_LT(made->on_validation().calibration_error, 0.2);
}

TEST(RunCalibration, OfAnotherModelIsNotUsed) {
  const SmallRun small;
  ASSERT_TRUE(small.make());
  small.run().put(Run::kBestFolder, [](const auto& folder) { write_file(folder / "further.json", "{}"); });
  EXPECT_FALSE(read_calibration(small.run()));
  ASSERT_TRUE(small.make());
  EXPECT_TRUE(read_calibration(small.run()));
}

TEST(RunCalibration, WithAnyBitFlippedIsIgnoredAndRecreated) {
  const SmallRun small;
  ASSERT_TRUE(small.make());
  const std::string whole = read_file(small.file());
  for (std::size_t bit = 3; bit < 8 * whole.size(); bit += whole.size() / 2) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(small.file(), damaged);
    EXPECT_FALSE(read_calibration(small.run())) << bit;
  }
  ASSERT_TRUE(small.make());
  EXPECT_EQ(read_file(small.file()), whole);
}

}  // namespace
}  // namespace hasa
