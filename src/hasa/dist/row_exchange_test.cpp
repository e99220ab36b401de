#include "hasa/dist/row_exchange.h"

#include <gtest/gtest.h>

#include "hasa/base/testing.h"
#include "hasa/dist/ranks_for_tests.h"

namespace hasa {
namespace {

using testing::in_ranks;

torch::Tensor own_of(const torch::Tensor& whole, const Comm& comm) {
  const RowShare share = comm.share_of(whole.size(0));
  return whole.narrow(0, share.first, share.count);
}

TEST(RowExchange, FetchesWhatCellsNameAndReturnsWhatComesBack) {
  HASA_NEEDS_DIST();
  // Seven rows and five triples on three processes; row 6 is named by nobody, row 0 by everybody.
  const torch::Tensor table = torch::arange(14, torch::kFloat32).view({7, 2});
  const torch::Tensor cells = torch::tensor({0, 4, 5, 0, 3, 3, 0, 1, 2, 0}, torch::kInt32).view({5, 2});
  in_ranks(3, [&](Comm& comm) {
    const RowExchange exchange(cells, 7, comm);
    const torch::Tensor fetched = exchange.to_cells(own_of(table, comm).index_select(0, exchange.rows()));
    EXPECT_TRUE(torch::equal(fetched, own_of(table.index_select(0, cells.view({-1})).view({5, 2, 2}), comm)));

    // Back comes the number of the cell: row 0's are 0, 3, 6 and 9, in this order.
    const torch::Tensor numbers = torch::arange(10, torch::kFloat32).view({5, 2, 1});
    const torch::Tensor back = exchange.to_rows(own_of(numbers, comm));
    EXPECT_TRUE(torch::equal(back.view({-1}), exchange.places().to(torch::kFloat32)));
    const RowShare rows = comm.share_of(7);
    EXPECT_TRUE(torch::equal(cells.view({-1}).index_select(0, exchange.places()).to(torch::kInt64),
                             exchange.rows() + rows.first));
    const torch::Tensor of_rank_0 = torch::tensor({0, 3, 6, 7, 8, 9}, torch::kInt64);  // which has rows 0 to 2
    EXPECT_EQ(comm.first(), torch::equal(exchange.places(), of_rank_0));
  });
}

TEST(RowExchange, CarriesNothingWhereABatchHasFewerRowsThanThereAreProcesses) {
  HASA_NEEDS_DIST();
  in_ranks(3, [](Comm& comm) {
    const RowExchange exchange(torch::tensor({5}, torch::kInt64).view({1, 1}), 6, comm);
    const torch::Tensor row = exchange.to_cells(torch::full({exchange.rows().size(0), 4}, 7, torch::kBFloat16));
    EXPECT_EQ(row.sizes(), (std::vector<std::int64_t>{comm.first() ? 1 : 0, 1, 4}));
    EXPECT_TRUE(row.eq(7).all().item<bool>());
    EXPECT_EQ(exchange.to_rows(row).size(0), comm.rank() == 2 ? 1 : 0);
  });
}

TEST(RowExchange, RefusesACellThatNamesNoRow) {
  EXPECT_ERROR(RowExchange(torch::tensor({6}, torch::kInt64).view({1, 1}), 6, one_process()),
               "a cell names none of 6 rows");
}

}  // namespace
}  // namespace hasa
