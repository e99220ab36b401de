#include "hasa/train/checkpoint.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/base/version.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

using testing::TempDir;

NamedTensors tensors(float value) {
  return {{"w", torch::full({2, 3}, value)}, {"b", torch::full({}, value)}, {"n", torch::full({4}, 7, torch::kInt64)}};
}

TrainState some_state() {
  TrainState state;
  state.epoch = 3;
  state.step_in_epoch = 17;
  state.loss_sum = 1.0 / 3;
  state.seconds = 2.5;
  state.best_mrr = 0.1 + 0.2;
  state.best_epoch = 2;
  state.validations_since_best = 1;
  return state;
}

/// Saves the file anew with one tensor or word replaced.
void change(const std::filesystem::path& path, const std::string& word, const std::string& value,
            const NamedTensors& replaced = {}) {
  TensorFile file = load_tensors(path);
  if (!word.empty()) file.metadata[word] = value;
  for (const NamedTensor& each : replaced) file.tensors[each.name] = each.tensor;
  NamedTensors tensors;
  for (const auto& [name, tensor] : file.tensors) tensors.push_back({name, tensor});
  save_tensors(path, tensors, file.metadata);
}

TEST(Checkpoint, RestoresTensorsAndState) {
  const TempDir dir;
  save_checkpoint(dir / "last", tensors(1.5), some_state(), torch::kCPU);
  const NamedTensors filled = tensors(0);
  filled[2].tensor.zero_();
  const TrainState state = load_checkpoint(dir / "last", filled, torch::kCPU);
  for (std::size_t i = 0; i < filled.size(); ++i) {
    EXPECT_TRUE(torch::equal(filled[i].tensor, tensors(1.5)[i].tensor)) << filled[i].name;
  }
  EXPECT_EQ(state.epoch, 3);
  EXPECT_EQ(state.step_in_epoch, 17);
  EXPECT_EQ(state.loss_sum, 1.0 / 3);
  EXPECT_EQ(state.seconds, 2.5);
  EXPECT_EQ(state.best_mrr, 0.1 + 0.2);
  EXPECT_EQ(state.best_epoch, 2);
  EXPECT_EQ(state.validations_since_best, 1);
}

TEST(Checkpoint, RestoresTheGeneratorSoThatTheSameNumbersFollow) {
  const TempDir dir;
  torch::manual_seed(11);
  (void)torch::randn({5});
  save_checkpoint(dir / "last", {}, {}, torch::kCPU);
  const torch::Tensor expected = torch::randn({7});
  torch::manual_seed(12);
  load_checkpoint(dir / "last", {}, torch::kCPU);
  EXPECT_TRUE(torch::equal(torch::randn({7}), expected));
}

TEST(Checkpoint, RefusesTensorsOfAnotherModel) {
  const TempDir dir;
  save_checkpoint(dir / "last", tensors(1), {}, torch::kCPU);
  EXPECT_ERROR(load_checkpoint(dir / "last", {{"w", torch::zeros({3, 3})}}, torch::kCPU),
               "w has shape [2, 3], this model needs [3, 3]");
  EXPECT_ERROR(load_checkpoint(dir / "last", {{"other", torch::zeros({3})}}, torch::kCPU), "has no tensor other");
}

TEST(Checkpoint, SaysWhoWroteAnotherFormatAndWhatToDo) {
  const TempDir dir;
  save_checkpoint(dir / "last", {}, {}, torch::kCPU);
  change(dir / "last", "format", "8");
  EXPECT_ERROR(load_checkpoint(dir / "last", {}, torch::kCPU),
               fmt::format("was written by hasa {} in format 8", version()));
  EXPECT_ERROR(load_checkpoint(dir / "last", {}, torch::kCPU), "finish the run with that version");
}

TEST(Checkpoint, SeesAChangedTensorByItsChecksum) {
  const TempDir dir;
  save_checkpoint(dir / "last", tensors(1), {}, torch::kCPU);
  change(dir / "last", "", "", {{"b", torch::full({}, 1.0000001F)}});
  const NamedTensors filled = tensors(0);
  EXPECT_ERROR(load_checkpoint(dir / "last", filled, torch::kCPU), "is damaged: its checksum does not match");
  EXPECT_TRUE(torch::equal(filled[0].tensor, tensors(0)[0].tensor));
}

TEST(Checkpoint, RefusesATruncatedFileAtAnyLength) {
  const TempDir dir;
  save_checkpoint(dir / "last", tensors(1), {}, torch::kCPU);
  const std::string whole = read_file(dir / "last");
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    write_file(dir / "cut", whole.substr(0, length));
    EXPECT_ERROR(load_checkpoint(dir / "cut", tensors(0), torch::kCPU), "cut");
  }
}

TEST(Checkpoint, RefusesAFileThatIsNone) {
  const TempDir dir;
  save_tensors(dir / "last", tensors(1), {});
  EXPECT_ERROR(load_checkpoint(dir / "last", tensors(0), torch::kCPU), "says nothing about format");
}

}  // namespace
}  // namespace hasa
