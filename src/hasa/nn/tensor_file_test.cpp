#include "hasa/nn/tensor_file.h"

#include <limits>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using testing::TempDir;

TEST(TensorFile, GivesBackTensorsOfEveryStoredTypeAndTheWords) {
  const TempDir dir;
  const torch::Tensor numbers = torch::tensor({1.5, -2.0, 3.25, 0.0});
  NamedTensors tensors;
  for (const auto type :
       {torch::kFloat32, torch::kFloat64, torch::kHalf, torch::kBFloat16, torch::kInt64, torch::kUInt8}) {
    tensors.push_back({c10::toString(type), numbers.abs().to(type).reshape({2, 2})});
  }
  save_tensors(dir / "a.safetensors", tensors, {{"made", "today"}, {"quoted", "\"x\"\ny"}});
  const TensorFile file = load_tensors(dir / "a.safetensors");
  EXPECT_EQ(file.tensors.size(), 6U);
  for (const NamedTensor& each : tensors) {
    EXPECT_EQ(file.at(each.name).scalar_type(), each.tensor.scalar_type());
    EXPECT_TRUE(torch::equal(file.at(each.name), each.tensor)) << each.name;
  }
  EXPECT_EQ(file.metadata_at("made"), "today");
  EXPECT_EQ(file.metadata_at("quoted"), "\"x\"\ny");
}

TEST(TensorFile, HoldsViewsScalarsEmptyTensorsAndParameters) {
  const TempDir dir;
  const torch::Tensor grid = torch::arange(6).reshape({2, 3}).to(torch::kFloat32);
  const torch::Tensor parameter = torch::ones({2}).requires_grad_();
  save_tensors(
      dir / "a",
      {{"column", grid.t()}, {"scalar", torch::tensor(7.0F)}, {"empty", torch::empty({0, 4})}, {"p", parameter}}, {});
  const TensorFile file = load_tensors(dir / "a");
  EXPECT_TRUE(torch::equal(file.at("column"), torch::tensor({0.F, 3.F, 1.F, 4.F, 2.F, 5.F}).reshape({3, 2})));
  EXPECT_EQ(file.at("scalar").dim(), 0);
  EXPECT_EQ(file.at("scalar").item<float>(), 7);
  EXPECT_EQ(file.at("empty").sizes(), (std::vector<std::int64_t>{0, 4}));
  EXPECT_FALSE(file.at("p").requires_grad());
}

TEST(TensorFile, ReadsOnlyTheTensorsOfAPrefix) {
  const TempDir dir;
  save_tensors(dir / "a", {{"hasa.w", torch::ones({3})}, {"layer.w", torch::zeros({2})}}, {{"made", "today"}});
  const TensorFile file = load_tensors(dir / "a", "hasa.");
  EXPECT_EQ(file.tensors.size(), 1U);
  EXPECT_EQ(file.at("hasa.w").size(0), 3);
  EXPECT_EQ(file.metadata_at("made"), "today");
}

TEST(TensorFile, HasItsOwnMemory) {
  const TempDir dir;
  save_tensors(dir / "a", {{"x", torch::ones({3})}}, {});
  const TensorFile file = load_tensors(dir / "a");
  save_tensors(dir / "a", {{"x", torch::zeros({3})}}, {});
  EXPECT_EQ(file.at("x").sum().item<float>(), 3);
}

TEST(TensorFile, NamesFileAndEntryThatIsMissing) {
  const TempDir dir;
  save_tensors(dir / "a", {{"x", torch::ones({3})}}, {});
  const TensorFile file = load_tensors(dir / "a");
  EXPECT_ERROR(file.at("y"), "a has no tensor y");
  EXPECT_ERROR(file.metadata_at("made"), "a says nothing about made");
}

TEST(TensorFile, RefusesTypesItDoesNotStore) {
  const TempDir dir;
  EXPECT_ERROR(save_tensors(dir / "a", {{"x", torch::ones({3}, torch::kInt32)}}, {}), "of type Int are not stored");
  EXPECT_FALSE(std::filesystem::exists(dir / "a"));
}

TEST(LoadWeights, NamesFileAndTensorOfAValueThatIsNoNumber) {
  const TempDir dir;
  const torch::Tensor w = torch::ones({3, 4});
  save_tensors(dir / "good", {{"w", w}, {"count", torch::arange(3)}}, {});
  EXPECT_TRUE(torch::equal(load_weights(dir / "good").at("w"), w));
  w[1][2] = std::numeric_limits<float>::quiet_NaN();
  save_tensors(dir / "bad", {{"v", torch::ones({2})}, {"w", w}}, {});
  EXPECT_ERROR(load_weights(dir / "bad"), "bad: w holds values that are not finite numbers");
}

TEST(ChecksumOf, DependsOnNamesShapesAndValues) {
  const torch::Tensor w = torch::arange(6).to(torch::kFloat32);
  const std::string sum = checksum_of({{"w", w}});
  EXPECT_EQ(checksum_of({{"w", w.clone()}}), sum);
  EXPECT_NE(checksum_of({{"v", w}}), sum);
  EXPECT_NE(checksum_of({{"w", w.reshape({2, 3})}}), sum);
  EXPECT_NE(checksum_of({{"w", w + 1}}), sum);
}

TEST(CopyInto, FillsParametersInPlaceUnderAPrefix) {
  const TempDir dir;
  save_tensors(dir / "a", {{"model.w", torch::tensor({1.F, 2.F})}}, {});
  const torch::Tensor w = torch::zeros({2}).requires_grad_();
  copy_into({{"w", w}}, load_tensors(dir / "a"), "model.");
  EXPECT_TRUE(torch::equal(w, torch::tensor({1.F, 2.F})));
  EXPECT_TRUE(w.is_leaf() && w.requires_grad());
}

TEST(CopyInto, RefusesAnotherShapeAndAMissingTensor) {
  const TempDir dir;
  save_tensors(dir / "a", {{"w", torch::zeros({2, 3})}}, {});
  const TensorFile file = load_tensors(dir / "a");
  EXPECT_ERROR(copy_into({{"w", torch::zeros({3, 2})}}, file), "w has shape [2, 3], this model needs [3, 2]");
  EXPECT_ERROR(copy_into({{"v", torch::zeros({2, 3})}}, file), "has no tensor v");
}

TEST(CopyIntoGrown, PutsNewRowsLastOrLastInEitherHalf) {
  const TempDir dir;
  const auto column = [](const std::vector<float>& values) { return torch::tensor(values).unsqueeze(1); };
  // Two entities, two relations and their inverses, one state of steps.
  save_tensors(
      dir / "a",
      {{"e", column({1, 2})}, {"r", column({3, 4, -3, -4})}, {"s", torch::tensor({5.F})}, {"w", torch::tensor({6.F})}},
      {});
  const torch::Tensor e = column({0, 0, 70}), r = column({0, 0, 80, 0, 0, 90}), s = torch::zeros({2}),
                      w = torch::zeros({1});
  copy_into_grown({{"e", e, Rows::appended}, {"r", r, Rows::directed}, {"s", s, Rows::of_steps}, {"w", w}},
                  load_tensors(dir / "a"));
  EXPECT_TRUE(torch::equal(e, column({1, 2, 70})));
  EXPECT_TRUE(torch::equal(r, column({3, 4, 80, -3, -4, 90})));
  EXPECT_TRUE(torch::equal(s, torch::zeros({2})));
  EXPECT_TRUE(torch::equal(w, torch::tensor({6.F})));
}

TEST(CopyIntoGrown, RefusesWhatGrowthDoesNotExplain) {
  const TempDir dir;
  save_tensors(dir / "a", {{"w", torch::zeros({2, 3})}, {"odd", torch::zeros({3, 1})}}, {});
  const TensorFile file = load_tensors(dir / "a");
  EXPECT_ERROR(copy_into_grown({{"w", torch::zeros({4, 3})}}, file), "w has shape [2, 3], this model needs [4, 3]");
  EXPECT_ERROR(copy_into_grown({{"w", torch::zeros({4, 2}), Rows::appended}}, file), "this model needs [4, 2]");
  EXPECT_ERROR(copy_into_grown({{"w", torch::zeros({1, 3}), Rows::appended}}, file), "this model needs [1, 3]");
  EXPECT_ERROR(copy_into_grown({{"odd", torch::zeros({4, 1}), Rows::directed}}, file), "this model needs [4, 1]");
}

}  // namespace
}  // namespace hasa
