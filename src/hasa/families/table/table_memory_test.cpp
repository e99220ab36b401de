#include "hasa/families/table/table_memory.h"

#include "hasa/base/testing.h"
#include "hasa/dist/ranks_for_tests.h"
#include "hasa/families/runs_for_tests.h"

namespace hasa {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(TableMemory, OfFiveMillionEntitiesWithRowAdagradFitsTwentyFourGiB) {
  TransEFamily config;
  config.optimiser.kind = OptimiserKind::row_adagrad;
  config.model.dim = 500;
  EXPECT_NO_THROW(check_tables_fit(config, 5'000'000, 1000, 24 * kGiB));
}

TEST(TableMemory, ThatIsMissingIsReportedWithTheSizeAndOptionsThatWouldFit) {
  TransEFamily config;  // adamw keeps two numbers for each
  config.model.dim = 500;
  try {
    check_tables_fit(config, 5'000'000, 1000, 24 * kGiB);
    FAIL() << "28 GiB fit 24";
  } catch (const Error& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("training TransE with dimension 500 for 5000000 entities takes about 29"), std::string::npos)
        << words;
    EXPECT_NE(words.find("only 24.0 GiB is available"), std::string::npos) << words;
    EXPECT_NE(words.find("--set optimiser.kind=row_adagrad fits (10."), std::string::npos) << words;
    EXPECT_NE(words.find("--set model.dim=250 fits (15."), std::string::npos) << words;
  }
}

TEST(TableMemory, CountsTwoBytesPerValueInBf16AndTheCopyForRanking) {
  TransEFamily config;
  config.train.batch = 256;
  config.optimiser.kind = OptimiserKind::row_adagrad;
  config.model.dim = 100;
  config.model.precision = TablePrecision::bf16;
  constexpr std::int64_t kMillion = 1'000'000;
  // Two bytes in the table, four in the copy, and four of the optimiser for a row.
  const std::int64_t more =
      table_training_bytes(config, 9 * kMillion, 10) - table_training_bytes(config, 8 * kMillion, 10);
  EXPECT_EQ(more, kMillion * (100 * (2 + 4) + 4));
  // Of few entities a step takes more than the copy.
  const std::int64_t few = table_training_bytes(config, 1000, 10);
  config.model.precision = TablePrecision::fp32;
  EXPECT_EQ(table_training_bytes(config, 1000, 10) - few, 1000 * 100 * 2);
}

TEST(TableMemory, OffersFp32WhereTheCopyOfABf16TableDoesNotFit) {
  TransEFamily config;
  config.optimiser.kind = OptimiserKind::row_adagrad;
  config.model.dim = 500;
  config.model.precision = TablePrecision::bf16;
  EXPECT_ERROR(check_tables_fit(config, 5'000'000, 1000, 12 * kGiB), "--set model.precision=fp32 fits (10.");
}

TEST(TableMemory, CountsTheScoresOfAllEntities) {
  TransEFamily config;
  config.train.batch = 1000;
  const std::int64_t sampled = table_training_bytes(config, 1'000'000, 10);
  config.tables.training = TableTraining::one_vs_all;
  EXPECT_GT(table_training_bytes(config, 1'000'000, 10), sampled + 16 * 1000 * std::int64_t{1'000'000});
}

TEST(TableMemory, OfSeveralProcessesIsShardedWhereTheWholeDoesNotFitOne) {
  HASA_NEEDS_DIST();
  const Graph graph = testing::small_graph();
  TableFamily config;
  config.train.batch = 64;
  const std::int64_t whole = table_training_bytes(config, graph.entities(), graph.relations());
  const auto sharded = [&](std::int64_t limit, TableSharding sharding, Comm& comm) {
    TableFamily other = config;
    other.memory_limit = fmt::format("{}", limit);
    other.tables.sharded = sharding;
    return shards_entities(other, graph, torch::kCPU, comm);
  };
  testing::in_ranks(2, [&](Comm& comm) {
    EXPECT_FALSE(sharded(whole, TableSharding::automatic, comm));
    EXPECT_TRUE(sharded(whole - 1, TableSharding::automatic, comm));
    // One process that lacks the memory is enough: all do the same.
    EXPECT_TRUE(sharded(comm.first() ? whole : whole - 1, TableSharding::automatic, comm));
    EXPECT_TRUE(sharded(whole, TableSharding::always, comm));
    EXPECT_FALSE(sharded(whole - 1, TableSharding::never, comm));
  });
  EXPECT_FALSE(sharded(whole - 1, TableSharding::always, one_process()));
}

}  // namespace
}  // namespace hasa
