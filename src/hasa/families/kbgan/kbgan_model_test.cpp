#include "hasa/families/kbgan/kbgan_model.h"

#include "hasa/base/testing.h"
#include "hasa/model/queries_for_tests.h"

namespace hasa {
namespace {

TEST(KbganModel, AsksItsDiscriminatorAndKeepsItsEntitiesWithinTheUnitBall) {
  torch::manual_seed(4);
  for (const KbganDiscriminator discriminator : {KbganDiscriminator::transe, KbganDiscriminator::transd}) {
    KbganModelConfig config;
    config.discriminator = discriminator;
    config.dim = 6;
    config.generator_dim = 4;
    const KbganModel model(config, 11, 2, torch::kCPU);
    const auto scorer = model.scorer();
    const torch::Tensor heads = torch::tensor({4}, torch::kInt64), relation = torch::tensor({3}, torch::kInt64);
    const torch::Tensor all = torch::arange(11).unsqueeze(0);
    const torch::Tensor ranked = scorer->scores(testing::queries_of(heads, relation)).argsort(1, /*descending=*/false);
    EXPECT_TRUE(
        torch::equal(ranked, model.discriminator_scores(heads, relation, all).argsort(1, /*descending=*/false)));
    const torch::Tensor entities = model.parameters()[0].tensor;
    {
      const torch::NoGradGuard no_grad;
      entities.mul_(10);
      model.constrain();
    }
    EXPECT_LE(entities.norm(2, {1}, false).max().item<float>(), 1.0001F);
  }
}

}  // namespace
}  // namespace hasa
