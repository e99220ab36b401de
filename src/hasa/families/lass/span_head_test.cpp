#include "hasa/families/lass/span_head.h"

#include "hasa/base/testing.h"
#include "hasa/families/text/tiny_bert_for_tests.h"

namespace hasa {
namespace {

/// Two triples: x H H x R x T x, and x H x R R x T T T x, with the numbers of their tokens beside.
struct TwoTriples {
  std::vector<std::int32_t> ids = std::vector<std::int32_t>(18);
  std::vector<std::int64_t> offsets = {0, 8, 18};
  std::vector<std::int32_t> spans = {1, 3, 4, 5, 6, 7, /**/ 1, 2, 3, 5, 6, 9};
  torch::Tensor hidden = torch::tensor({{100.F, 0.F},
                                        {1.F, 0.F},
                                        {3.F, 2.F},
                                        {100.F, 0.F},
                                        {0.F, 1.F},
                                        {100.F, 0.F},
                                        {2.F, 4.F},
                                        {100.F, 0.F},
                                        {100.F, 0.F},
                                        {1.F, 1.F},
                                        {100.F, 0.F},
                                        {2.F, 0.F},
                                        {4.F, 2.F},
                                        {100.F, 0.F},
                                        {3.F, 0.F},
                                        {6.F, 3.F},
                                        {0.F, 6.F},
                                        {100.F, 0.F}});

  PackedTokens packed() const { return pack(TokenRows{ids, offsets, {}, spans}); }
};

TEST(SpanHead, TakesTheMeanOfEachPartsTokensAndOfNoOthers) {
  const TwoTriples two;
  const torch::Tensor means = span_means(two.hidden, two.packed());
  EXPECT_TRUE(means[0].equal(torch::tensor({{2.F, 1.F}, {0.F, 1.F}, {2.F, 4.F}})));
  EXPECT_TRUE(means[1].equal(torch::tensor({{1.F, 1.F}, {3.F, 1.F}, {3.F, 3.F}})));
}

TEST(SpanHead, ScoresATripleByHowFarHeadAndRelationAreFromItsTail) {
  const testing::TempDir dir;
  testing::write_tiny_bert(dir / "bert");
  const Encoder encoder = Encoder::load(dir / "bert");
  LassModelConfig config;
  config.bias = 7;
  config.scale = 0.5;
  const TwoTriples two;
  const torch::Tensor logits = SpanHead(config).logits(encoder, two.hidden, two.packed(), /*training=*/false);
  // h + r - t: (2, 1) + (0, 1) - (2, 4) = (0, -2); (1, 1) + (3, 1) - (3, 3) = (1, -1).
  EXPECT_NEAR(logits[0].item<double>(), 7 - 0.5 / 2 * 4, 1e-6);
  EXPECT_NEAR(logits[1].item<double>(), 7 - 0.5 / 2 * 2, 1e-6);
}

TEST(SpanHead, GradientsReachEveryTokenOfThePartsEqually) {
  const TwoTriples two;
  const torch::Tensor hidden = two.hidden.clone().requires_grad_();
  span_means(hidden, two.packed()).select(1, 0).sum().backward();
  EXPECT_EQ(hidden.grad()[1][0].item<float>(), 0.5F);
  EXPECT_EQ(hidden.grad()[2][0].item<float>(), 0.5F);
  EXPECT_EQ(hidden.grad()[9][0].item<float>(), 1.F);
  EXPECT_EQ(hidden.grad()[0][0].item<float>(), 0.F);
}

}  // namespace
}  // namespace hasa
