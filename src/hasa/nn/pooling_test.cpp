#include "hasa/nn/pooling.h"

#include "hasa/base/testing.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

const std::filesystem::path kMPNet = std::filesystem::path(HASA_SOURCE_DIR) / "tests/recorded/encoder/mpnet";

TEST(Pooling, NamesAreReadBackAndOthersRefused) {
  for (const Pooling pooling : {Pooling::mean, Pooling::cls, Pooling::pooler}) {
    EXPECT_EQ(parse_pooling(to_string(pooling)), pooling);
  }
  EXPECT_ERROR(parse_pooling("max"), "unknown pooling \"max\"; expected mean, cls or pooler");
}

TEST(Pooling, MeanTakesAllTokensOfATextAndClsItsFirst) {
  const Encoder encoder = Encoder::load(kMPNet);
  const PackedTokens tokens = pack_texts({{0, 5}, {0}, {0, 7, 8}});
  const torch::Tensor hidden = torch::arange(6, torch::kFloat32).unsqueeze(1).expand({6, 2}).contiguous();
  EXPECT_TRUE(pool(encoder, hidden, tokens, Pooling::mean).select(1, 0).equal(torch::tensor({0.5f, 2.0f, 4.0f})));
  EXPECT_TRUE(pool(encoder, hidden, tokens, Pooling::cls).select(1, 1).equal(torch::tensor({0.0f, 2.0f, 3.0f})));
}

TEST(Pooling, PoolerIsRefusedWhereTheModelHasNone) {
  const testing::TempDir folder;
  const Encoder encoder = Encoder::load(kMPNet);
  encoder.save(folder.path());
  NamedTensors without;
  for (const NamedTensor& each : encoder.hugging_face_tensors()) {
    if (!each.name.starts_with("pooler")) without.push_back(each);
  }
  save_tensors(folder / "model.safetensors", without, {});
  const Encoder bare = Encoder::load(folder.path());
  EXPECT_ERROR(check_pooling(bare, Pooling::pooler), "the model has no pooler layer");
  check_pooling(bare, Pooling::mean);
}

}  // namespace
}  // namespace hasa
