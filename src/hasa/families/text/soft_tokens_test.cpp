#include "hasa/families/text/soft_tokens.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using torch::Tensor;

constexpr SoftTokenSizes kSizes{.entities = 7, .directed_relations = 4, .dim = 6, .hidden = 8};

struct SoftTokensTest : ::testing::Test {
  SoftTokensTest() {
    torch::manual_seed(4);
    words = torch::randn({30, 8}) * 0.05;
    tokens = SoftTokens(kSizes, words);
    tokens.set_bank(torch::randn({7, 6}));
  }
  Tensor parameter(const std::string& name) const {
    for (const NamedTensor& each : tokens.parameters()) {
      if (each.name == name) return each.tensor.detach().to(torch::kFloat64);
    }
    ADD_FAILURE() << "no parameter " << name;
    return {};
  }

  Tensor words;
  SoftTokens tokens;
};

TEST_F(SoftTokensTest, AreAnMlpOfTheNeighboursVectorAndTheRelationsAsTheFormulaSays) {
  const std::vector<std::pair<int, int>> edges = {{0, 6}, {3, 0}, {3, 6}, {1, 2}};  // relation, neighbour
  std::vector<std::int64_t> keys;
  for (const auto& [relation, neighbour] : edges) keys.push_back(relation * 7 + neighbour);
  const Tensor rows = tokens.rows(torch::tensor(keys, torch::kInt64)).to(torch::kFloat64);
  const auto standardised = [](const Tensor& x) { return (x - x.mean()) / (x.var(/*unbiased=*/false) + 1e-5).sqrt(); };
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Tensor z = standardised(tokens.bank()[edges[i].second].to(torch::kFloat64));
    Tensor wide = parameter("first.weight").mv(z) + parameter("first.bias") + parameter("relations")[edges[i].first];
    wide = 0.5 * wide * (1 + torch::erf(wide / std::sqrt(2.0)));
    const Tensor out = standardised(parameter("second.weight").mv(wide) + parameter("second.bias"));
    const Tensor expected = out * parameter("norm.weight") + parameter("norm.bias");
    EXPECT_LT((rows[static_cast<std::int64_t>(i)] - expected).abs().max().item<double>(), 1e-5);
  }
}

TEST_F(SoftTokensTest, BeginAboutTheSizeOfWords) {
  const double size = tokens.rows(torch::arange(28)).square().mean().sqrt().item<double>();
  EXPECT_NEAR(size / words.square().mean().sqrt().item<double>(), 1, 0.02);
}

TEST_F(SoftTokensTest, TakeNoGradientToTheBankAndKeepItApartFromThatOfACopy) {
  SoftTokens copy = tokens;
  copy.set_bank(torch::ones({7, 6}).requires_grad_());
  EXPECT_FALSE(torch::equal(tokens.bank(), copy.bank()));
  tokens.rows(torch::arange(28)).square().sum().backward();
  for (const NamedTensor& each : tokens.parameters()) EXPECT_TRUE(each.tensor.grad().defined()) << each.name;
  EXPECT_FALSE(tokens.bank().requires_grad());
  // The copy's parameters are the same tensors.
  EXPECT_TRUE(copy.parameters().front().tensor.is_same(tokens.parameters().front().tensor));
}

}  // namespace
}  // namespace hasa
