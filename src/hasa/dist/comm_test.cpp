#include "hasa/dist/comm.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>

#include "hasa/base/testing.h"
#include "hasa/dist/job.h"

namespace hasa {
namespace {

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), length), 0);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(socket);
  return ntohs(address.sin_port);
}

/// Runs the ranks of a job as threads of this process. What c10d records of past calls is one for all of a process, and
/// made for one thread at a time: it is switched off.
void in_ranks(int size, const std::function<void(Comm&)>& work) {
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  const std::uint16_t port = free_port();
  std::vector<std::exception_ptr> problems(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto comm = join_job({.rank = rank, .size = size, .port = port});
        work(*comm);
      } catch (...) {
        problems[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& problem : problems)
    if (problem) std::rethrow_exception(problem);
}

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

#define HASA_NEEDS_DIST() \
  if (!can_join_jobs()) GTEST_SKIP() << "built without c10d"

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
