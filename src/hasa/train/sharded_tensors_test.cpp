#include "hasa/train/sharded_tensors.h"

#include <gtest/gtest.h>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/dist/ranks_for_tests.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/train/checkpoint.h"

namespace hasa {
namespace {

using testing::in_ranks;
using testing::TempDir;

torch::Tensor table_of(torch::Dtype type) { return torch::arange(21, torch::kFloat32).view({7, 3}).to(type); }

NamedTensor shard_of(const std::string& name, const torch::Tensor& whole, const Comm& comm) {
  const RowShare share = comm.share_of(whole.size(0));
  return {name, whole.narrow(0, share.first, share.count).clone(), Rows::appended, whole.size(0)};
}

NamedTensors some_tensors(const Comm& comm) {
  return {shard_of("entities", table_of(torch::kBFloat16), comm),
          {"relations", torch::ones({2, 2})},
          shard_of("few", torch::arange(2, torch::kFloat32), comm),  // of three processes, one has no row
          {"steps", torch::full({1}, 5, torch::kInt64)}};
}

TEST(ShardedTensors, AreSavedWholeByAnyNumberOfProcesses) {
  HASA_NEEDS_DIST();
  const TempDir dir;
  for (const int size : {2, 3}) {
    in_ranks(size, [&](Comm& comm) {
      save_tensors_together(comm.first() ? dir / "file" : std::filesystem::path(), some_tensors(comm), {{"a", "b"}},
                            comm);
      if (!comm.first()) return;
      const TensorFile file = load_tensors(dir / "file");
      EXPECT_TRUE(torch::equal(file.at("entities"), table_of(torch::kBFloat16)));
      EXPECT_TRUE(torch::equal(file.at("few"), torch::arange(2, torch::kFloat32)));
      EXPECT_TRUE(torch::equal(file.at("relations"), torch::ones({2, 2})));
      EXPECT_EQ(file.metadata_at("a"), "b");
    });
  }
}

TEST(ShardedTensors, PassThroughRankZeroInBlocksAndBack) {
  HASA_NEEDS_DIST();
  const TempDir dir;
  const torch::Tensor whole = table_of(torch::kFloat32);
  save_tensors(dir / "file", {{"table", whole}}, {});
  for (const std::int64_t block_bytes : {1, 24, 1000}) {  // a row, two rows, all of a process
    in_ranks(3, [&](Comm& comm) {
      const NamedTensor shard = shard_of("table", whole, comm);
      std::vector<torch::Tensor> blocks;
      visit_on_first(shard, comm, [&](const torch::Tensor& rows) { blocks.push_back(rows.clone()); }, block_bytes);
      EXPECT_EQ(blocks.size(), !comm.first() ? 0U : block_bytes == 1 ? 7U : block_bytes == 24 ? 4U : 3U);
      if (comm.first()) {
        EXPECT_TRUE(torch::equal(torch::cat(blocks), whole));
      }

      const NamedTensor filled{"table", torch::zeros_like(shard.tensor), Rows::appended, 7};
      std::optional<SafeTensors> file;
      if (comm.first()) file.emplace(SafeTensors::open(dir / "file"));
      fill_from_first(filled, comm, file ? &*file : nullptr, block_bytes);
      EXPECT_TRUE(torch::equal(filled.tensor, shard.tensor));
    });
  }
}

TEST(ShardedTensors, MakeTheCheckpointThatOneProcessMakes) {
  HASA_NEEDS_DIST();
  const TempDir dir;
  TrainState state;
  state.epoch = 4;
  save_checkpoint(dir / "one", {{"entities", table_of(torch::kFloat32)}, {"zeros", torch::zeros({2})}}, state,
                  torch::kCPU);
  in_ranks(3, [&](Comm& comm) {
    const NamedTensors tensors{shard_of("entities", table_of(torch::kFloat32), comm), {"zeros", torch::zeros({2})}};
    save_checkpoint(comm.first() ? dir / "three" : std::filesystem::path(), tensors, state, torch::kCPU, comm);
    if (!comm.first()) return;
    EXPECT_EQ(read_file(dir / "three"), read_file(dir / "one"));
    // Rank 0 has its rows from the file; those of the others are handed out afterwards.
    const NamedTensors filled{{"entities", torch::zeros({3, 3}), Rows::appended, 7}, {"zeros", torch::ones({2})}};
    EXPECT_EQ(load_checkpoint(dir / "three", filled, torch::kCPU).epoch, 4);
    EXPECT_TRUE(torch::equal(filled[0].tensor, tensors[0].tensor));
    EXPECT_ERROR(load_checkpoint(dir / "three", {{"entities", torch::zeros({3, 3}), Rows::appended, 8}}, torch::kCPU),
                 "entities has shape [7, 3], this model needs [8, 3]");
    EXPECT_ERROR(load_checkpoint(dir / "three", {{"entities", torch::zeros({3, 3}), Rows::appended, 8}}, torch::kCPU,
                                 [](const TrainState&) { return true; }),
                 "sharded tables cannot take new entities");
  });
}

}  // namespace
}  // namespace hasa
