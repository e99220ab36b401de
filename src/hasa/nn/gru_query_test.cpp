#include "hasa/nn/gru_query.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(GruQuery, EqualsPyTorchsOwnGruOverTheTwoSteps) {
  torch::manual_seed(1);
  const std::int64_t dim = 8;
  const GruQuery gru(dim);
  const torch::Tensor heads = torch::randn({5, dim}), relations = torch::randn({3, dim});
  const torch::Tensor relation_of = torch::tensor({2, 0, 2, 1, 0}, torch::kInt64);
  const torch::Tensor query = gru(heads, relations, relation_of);

  std::vector<torch::Tensor> weights;
  for (const NamedTensor& p : gru.parameters()) weights.push_back(p.tensor);
  const torch::Tensor sequence = torch::stack({heads, relations.index_select(0, relation_of)}, 1);
  const auto [outputs, last] = torch::gru(sequence, torch::zeros({1, 5, dim}), weights, /*has_biases=*/true,
                                          /*num_layers=*/1, /*dropout=*/0.0, /*train=*/false, /*bidirectional=*/false,
                                          /*batch_first=*/true);
  EXPECT_TRUE(torch::allclose(query, last[0], 1e-5, 1e-6));
}

TEST(GruQuery, SendsGradientsToHeadsRelationsAndEveryWeight) {
  const GruQuery gru(4);
  const torch::Tensor heads = torch::randn({2, 4}).requires_grad_(), relations = torch::randn({1, 4}).requires_grad_();
  gru(heads, relations, torch::zeros({2}, torch::kInt64)).sum().backward();
  EXPECT_TRUE(heads.grad().defined() && relations.grad().defined());
  for (const NamedTensor& p : gru.parameters()) EXPECT_GT(p.tensor.grad().abs().sum().item<float>(), 0) << p.name;
}

}  // namespace
}  // namespace hasa
