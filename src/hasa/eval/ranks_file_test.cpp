#include "hasa/eval/ranks_file.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

TEST(RanksFile, WritesTriplesInEitherDirection) {
  const Graph g = parse_benchmark(
      {"small", {"train.txt", "a\tr\tb\n"}, {"valid.txt", "a\tr\tb\n"}, {"test.txt", "b\tr\ta\n"}, {}, {}});
  const std::vector<RankedQuery> ranked{{{1, 0, 0}, 2, 3}, {{0, 1, 1}, 0, 0}};
  const testing::TempDir folder;
  write_ranks(folder / "r.tsv", rank_rows(ranked, g));
  EXPECT_EQ(read_file(folder / "r.tsv"),
            "head\trelation\ttail\tdirection\toptimistic\trealistic\tpessimistic\n"
            "b\tr\ta\ttail\t3\t4.5\t6\nb\tr\ta\thead\t1\t1\t1\n");
}

TEST(RanksFile, RoundTripsWhateverTheIdsContain) {
  const std::vector<RankRow> rows{{"a\tb", "r\\n", "c\n\r\\", false, 1, 1.5, 2},
                                  {"", "ü", " ", true, 1000000, 1000000.5, 1000001}};
  const testing::TempDir folder;
  write_ranks(folder / "r.tsv", rows);
  const auto back = read_ranks(folder / "r.tsv");
  ASSERT_EQ(back.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back[i].head, rows[i].head);
    EXPECT_EQ(back[i].relation, rows[i].relation);
    EXPECT_EQ(back[i].tail, rows[i].tail);
    EXPECT_EQ(back[i].asks_tail, rows[i].asks_tail);
    EXPECT_EQ(back[i].realistic, rows[i].realistic);
    EXPECT_EQ(back[i].pessimistic, rows[i].pessimistic);
  }
}

TEST(RanksFile, OtherFilesAreRejectedByLine) {
  const testing::TempDir folder;
  const std::string head = "head\trelation\ttail\tdirection\toptimistic\trealistic\tpessimistic\n";
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"", "has no ranks"},
           {"a\tb\tc\n", "its first line"},
           {head, "has no ranks"},
           {head + "a\tb\tc\ttail\t1\t1\n", "r.tsv:2: expected 7 fields"},
           {head + "a\tb\tc\tup\t1\t1\t1\n", "r.tsv:2: direction is \"up\""},
           {head + "a\tb\tc\ttail\t1\t1\t1\na\tb\tc\ttail\t2\t1\t3\n", "r.tsv:3: expected three ranks"},
           {head + "a\tb\tc\ttail\t0\t1\t3\n", "r.tsv:2: expected three ranks"},
           {head + "a\tb\tc\ttail\tnan\tnan\tnan\n", "r.tsv:2: expected three ranks"}}) {
    write_file(folder / "r.tsv", text);
    EXPECT_ERROR(read_ranks(folder / "r.tsv"), says);
  }
}

}  // namespace
}  // namespace hasa
