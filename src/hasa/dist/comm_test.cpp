#include "hasa/dist/comm.h"

#include <gtest/gtest.h>

#include "hasa/base/testing.h"
#include "hasa/dist/ranks_for_tests.h"

namespace hasa {
namespace {

using testing::free_port;
using testing::in_ranks;

TEST(Comm, OfOneProcessLeavesAllAsItIs) {
  Comm& comm = one_process();
  torch::Tensor x = torch::arange(3);
  comm.all_reduce(x);
  EXPECT_TRUE(torch::equal(x, torch::arange(3)));
  EXPECT_TRUE(torch::equal(comm.all_gather(x), torch::arange(3).unsqueeze(0)));
  EXPECT_TRUE(comm.gather_shares(x, 3).is_same(x));
  EXPECT_TRUE(comm.any(true));
  EXPECT_EQ(comm.broadcast(std::string("word")), "word");
  EXPECT_EQ(comm.bytes(), 0);
}

TEST(Comm, SharesRowsOutWithoutGapOrOverlap) {
  for (const std::int64_t rows : {0, 1, 2, 5, 100}) {
    std::int64_t next = 0;
    for (int rank = 0; rank < 3; ++rank) {
      const RowShare share = Comm::share_of(rows, rank, 3);
      EXPECT_EQ(share.first, next);
      EXPECT_LE(share.count, rows / 3 + 1);
      next += share.count;
    }
    EXPECT_EQ(next, rows);
  }
}

TEST(Comm, OfThreeProcessesSumsGathersScattersAndBroadcasts) {
  HASA_NEEDS_DIST();
  in_ranks(3, [](Comm& comm) {
    const int rank = comm.rank();
    torch::Tensor sum = torch::full({2, 2}, rank + 1.0);
    comm.all_reduce(sum);
    EXPECT_TRUE(torch::equal(sum, torch::full({2, 2}, 6.0)));

    const torch::Tensor all = comm.all_gather(torch::full({2}, rank, torch::kInt64));
    EXPECT_TRUE(torch::equal(all, torch::arange(3).unsqueeze(1).expand({3, 2})));

    // Rank r has 10 r + i for rank i: what meets at i is 30 + 3 i.
    const torch::Tensor part = comm.reduce_scatter(torch::arange(3) + 10 * rank);
    EXPECT_EQ(part.item<std::int64_t>(), 30 + 3 * rank);

    torch::Tensor told = torch::full({3}, rank == 1 ? 7.0F : 0.0F);
    comm.broadcast(told, 1);
    EXPECT_TRUE(torch::equal(told, torch::full({3}, 7.0F)));

    EXPECT_TRUE(comm.any(rank == 2));
    EXPECT_FALSE(comm.any(false));
    EXPECT_EQ(comm.broadcast(std::string(rank == 0 ? "from the first" : "")), "from the first");
    EXPECT_EQ(comm.broadcast(std::vector<std::int64_t>(rank == 0 ? 2 : 0, 9)), (std::vector<std::int64_t>{9, 9}));
    comm.barrier();
  });
}

TEST(Comm, GathersRowsOfWhichEachProcessHasAnotherNumber) {
  HASA_NEEDS_DIST();
  in_ranks(3, [](Comm& comm) {
    const std::vector<std::int64_t> counts = {2, 0, 3};
    const std::int64_t first = comm.rank() == 0 ? 0 : 2, count = counts[static_cast<std::size_t>(comm.rank())];
    const torch::Tensor rows = torch::arange(10).view({5, 2});
    EXPECT_TRUE(torch::equal(comm.gather_rows(rows.narrow(0, first, count), counts), rows));
    const RowShare share = comm.share_of(5);
    EXPECT_TRUE(torch::equal(comm.gather_shares(rows.narrow(0, share.first, share.count), 5), rows));
  });
}

TEST(Comm, HandsRowsOfAnyTypeFromEachProcessToEach) {
  HASA_NEEDS_DIST();
  in_ranks(3, [](Comm& comm) {
    // Rank r has r rows for rank 0, none for rank 1 and two for rank 2; each says where it comes from and goes to.
    const std::int64_t rank = comm.rank();
    const std::vector<std::int64_t> to = {rank, 0, 2};
    const std::vector<std::int64_t> from = rank == 0   ? std::vector<std::int64_t>{0, 1, 2}
                                           : rank == 1 ? std::vector<std::int64_t>{0, 0, 0}
                                                       : std::vector<std::int64_t>{2, 2, 2};
    for (const torch::Dtype type : {torch::kFloat32, torch::kBFloat16, torch::kInt32}) {
      torch::Tensor rows = torch::zeros({rank + 2, 3}, type), expected = torch::zeros({0, 3}, type);
      rows.slice(0, 0, rank).fill_(10 * rank);
      rows.slice(0, rank).fill_(10 * rank + 2);
      for (std::int64_t r = 0; r < 3; ++r)
        expected = torch::cat({expected, torch::full({from[static_cast<std::size_t>(r)], 3}, 10 * r + rank, type)});
      const std::int64_t before = comm.bytes();
      EXPECT_TRUE(torch::equal(comm.all_to_all(rows, to, from), expected));
      const std::int64_t sent = rank + 2 - to[static_cast<std::size_t>(rank)];
      EXPECT_EQ(comm.bytes() - before, sent * 3 * rows.element_size());
    }
    const std::vector<std::int64_t> none = {0, 0, 0};
    EXPECT_EQ(comm.all_to_all(torch::zeros({0, 5}), none, none).sizes(), (std::vector<std::int64_t>{0, 5}));
    EXPECT_ERROR(comm.all_to_all(torch::zeros({1, 5}), none, none), "1 rows, other than the counts say");
  });
}

TEST(Comm, SumsEachProcesssShareOfRows) {
  HASA_NEEDS_DIST();
  in_ranks(3, [](Comm& comm) {
    const torch::Tensor rows = torch::arange(10, torch::kFloat32).view({5, 2}) + 100.0F * comm.rank();
    const RowShare share = comm.share_of(5);
    const torch::Tensor expected = torch::arange(10, torch::kFloat32).view({5, 2}) * 3 + 300;
    EXPECT_TRUE(torch::equal(comm.sum_shares(rows), expected.narrow(0, share.first, share.count)));
  });
}

TEST(Comm, SumsTensorsOfSeveralKindsInPlaceAndCountsTheirBytes) {
  HASA_NEEDS_DIST();
  in_ranks(2, [](Comm& comm) {
    const torch::Tensor a = torch::ones({3}), b = torch::ones({2, 2}, torch::kFloat64), c = torch::ones({5});
    const std::int64_t before = comm.bytes();
    comm.all_reduce(std::vector<torch::Tensor>{a, b, {}, c.slice(0, 0, 5, 2)});
    EXPECT_TRUE(torch::equal(a, torch::full({3}, 2.0F)));
    EXPECT_TRUE(torch::equal(b, torch::full({2, 2}, 2.0, torch::kFloat64)));
    EXPECT_TRUE(torch::equal(c, torch::tensor({2.0F, 1.0F, 2.0F, 1.0F, 2.0F})));
    EXPECT_EQ(comm.bytes() - before, (3 + 3) * 4 + 4 * 8);
  });
}

TEST(Comm, NamesTheMeetingPointWhereNobodyComes) {
  HASA_NEEDS_DIST();
  const JobPlace alone{.rank = 1, .size = 2, .port = free_port(), .silence = 1};
  EXPECT_ERROR(join_job(alone), "rank 1 of 2 did not meet the others at 127.0.0.1:");
}

}  // namespace
}  // namespace hasa
