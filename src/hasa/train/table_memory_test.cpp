#include "hasa/train/table_memory.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(TableMemory, OfFiveMillionEntitiesWithRowAdagradFitsTwentyFourGiB) {
  TrainConfig config;
  config.optimiser.kind = OptimiserKind::row_adagrad;
  TransEConfig model;
  model.dim = 500;
  EXPECT_NO_THROW(check_tables_fit(config, model, 5'000'000, 1000, 24 * kGiB));
}

TEST(TableMemory, ThatIsNotThereIsRefusedWithTheSizeAndWhatWouldFit) {
  TrainConfig config;  // adamw keeps two numbers for each
  TransEConfig model;
  model.dim = 500;
  try {
    check_tables_fit(config, model, 5'000'000, 1000, 24 * kGiB);
    FAIL() << "28 GiB fit 24";
  } catch (const Error& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("training TransE of 500 numbers for 5000000 entities takes about 29"), std::string::npos)
        << words;
    EXPECT_NE(words.find("there are 24.0 GiB"), std::string::npos) << words;
    EXPECT_NE(words.find("--set optimiser.kind=row_adagrad fits (10."), std::string::npos) << words;
    EXPECT_NE(words.find("--set model.dim=250 fits (15."), std::string::npos) << words;
  }
}

TEST(TableMemory, CountsTheScoresOfAllEntities) {
  TrainConfig config;
  config.train.batch = 1000;
  const ComplExConfig model;
  const std::int64_t sampled = table_training_bytes(config, model, 1'000'000, 10);
  config.tables.training = TableTraining::one_vs_all;
  EXPECT_GT(table_training_bytes(config, model, 1'000'000, 10), sampled + 16 * 1000 * std::int64_t{1'000'000});
}

}  // namespace
}  // namespace hasa
