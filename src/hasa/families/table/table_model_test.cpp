#include "hasa/families/table/table_model.h"

#include "hasa/base/testing.h"
#include "hasa/model/queries_for_tests.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/score/full_scores.h"

namespace hasa {
namespace {

constexpr std::int64_t kEntities = 23, kRelations = 4;

std::vector<TableModelConfig> every_form() {
  std::vector<TableModelConfig> configs;
  for (const TableForm form : {TableForm::transe, TableForm::distmult, TableForm::complex, TableForm::rotate}) {
    for (const bool reciprocal : {true, false}) {
      for (const std::int64_t norm : {1, 2}) {
        if (norm == 2 && form != TableForm::transe) continue;
        TableModelConfig config;
        config.form = form;
        config.dim = 14;
        config.reciprocal = reciprocal;
        config.norm = norm;
        config.init = TableInit::normal;
        config.half_turn = 0.4;
        configs.push_back(config);
      }
    }
  }
  return configs;
}

std::string name_of(const TableModelConfig& config) {
  return fmt::format("{} L{}{}", to_string(config.form), config.norm, config.reciprocal ? ", reciprocal" : "");
}

/// Every directed relation with some heads and tails.
struct Asked {
  torch::Tensor heads = torch::randint(0, kEntities, {40}), tails = torch::randint(0, kEntities, {40});
  torch::Tensor directed = torch::arange(40).remainder(2 * kRelations);
};

TEST(TableModel, RanksByTheScoresOfItsFormulaInBothDirections) {
  torch::manual_seed(1);
  for (const TableModelConfig& config : every_form()) {
    const TableModel model(config, kEntities, kRelations, torch::kCPU);
    const auto scorer = model.scorer();
    const Asked asked;
    const torch::Tensor all = scorer->scores(testing::queries_of(asked.heads, asked.directed));
    const torch::Tensor own = all.gather(1, asked.tails.unsqueeze(1)).squeeze(1);
    EXPECT_TRUE(torch::allclose(own.to(torch::kFloat64),
                                model.scores_as_written(asked.heads, asked.directed, asked.tails), 1e-5, 1e-5))
        << name_of(config);
  }
}

TEST(TableModel, GivesATripleOneScoreFromEitherEndUnlessInversesAreRelationsOfTheirOwn) {
  torch::manual_seed(2);
  for (const TableModelConfig& config : every_form()) {
    const TableModel model(config, kEntities, kRelations, torch::kCPU);
    const auto scorer = model.scorer();
    const torch::Tensor r = torch::arange(kRelations), h = r + 3, t = r * 4;
    const torch::Tensor forth = scorer->scores(testing::queries_of(h, r)).gather(1, t.unsqueeze(1));
    const torch::Tensor back = scorer->scores(testing::queries_of(t, r + kRelations)).gather(1, h.unsqueeze(1));
    EXPECT_EQ(torch::allclose(forth, back, 1e-4, 1e-5), !config.reciprocal) << name_of(config);
  }
}

TEST(TableModel, AsksForRelationsWithVectorsThatScoreThem) {
  torch::manual_seed(3);
  for (const TableModelConfig& config : every_form()) {
    const TableModel model(config, kEntities, kRelations, torch::kCPU);
    EXPECT_EQ(model.has_relation_queries(), config.form != TableForm::rotate);
    if (!model.has_relation_queries()) continue;
    const torch::Tensor heads = torch::arange(6), tails = torch::arange(6) + 9;
    const torch::Tensor queries =
        model.relation_queries(model.entities().index_select(0, heads), model.entities().index_select(0, tails));
    const torch::Tensor scores = full_scores(queries, model.relations(), model.similarity());
    for (std::int64_t r = 0; r < kRelations; ++r) {
      const torch::Tensor expected = model.scores_as_written(heads, torch::full({6}, r), tails);
      EXPECT_TRUE(torch::allclose(scores.select(1, r).to(torch::kFloat64), expected, 1e-5, 1e-5)) << name_of(config);
    }
  }
}

TEST(TableModel, HasQueriesWhoseGradientsAreThoseOfFiniteDifferences) {
  torch::manual_seed(4);
  for (const TableModelConfig& config : every_form()) {
    const TableModel model(config, kEntities, kRelations, torch::kCPU);
    const torch::Tensor directed = torch::tensor({1, 6}, torch::kInt64);
    const auto leaf = [](const torch::Tensor& x) { return x.to(torch::kFloat64).clone().requires_grad_(); };
    const torch::Tensor heads = leaf(model.entities().slice(0, 0, 2));
    const torch::Tensor relations = leaf(model.relations().index_select(0, model.relation_rows(directed)));
    const torch::Tensor weights = torch::randn({2, config.dim}, torch::kFloat64);
    const auto value = [&] { return (model.queries(heads, relations, directed) * weights).sum(); };
    value().backward();
    const torch::NoGradGuard no_grad;
    for (const torch::Tensor& x : {heads, relations}) {
      for (std::int64_t i = 0; i < x.numel(); i += 3) {
        const torch::Tensor cell = x.view(-1)[i];
        cell.add_(1e-6);
        const double up = value().item<double>();
        cell.sub_(2e-6);
        const double down = value().item<double>();
        cell.add_(1e-6);
        EXPECT_NEAR(x.grad().view(-1)[i].item<double>(), (up - down) / 2e-6, 1e-6) << name_of(config);
      }
    }
  }
}

TEST(TableModel, KeepsEntitiesInBfloat16AndScoresThemInFloat32) {
  for (TableModelConfig config : every_form()) {
    SCOPED_TRACE(name_of(config));
    torch::manual_seed(5);
    const TableModel whole(config, kEntities, kRelations, torch::kCPU);
    config.precision = TablePrecision::bf16;
    torch::manual_seed(5);
    const TableModel half(config, kEntities, kRelations, torch::kCPU);
    EXPECT_TRUE(torch::equal(half.entities(), whole.entities().to(torch::kBFloat16)));
    EXPECT_TRUE(torch::equal(half.relations(), whole.relations()));
    const auto scorer = half.scorer();
    EXPECT_TRUE(torch::equal(scorer->entities(), half.entities().to(torch::kFloat32)));
    const Asked asked;
    const torch::Tensor all = scorer->scores(testing::queries_of(asked.heads, asked.directed));
    ASSERT_EQ(all.scalar_type(), torch::kFloat32);
    const torch::Tensor own = all.gather(1, asked.tails.unsqueeze(1)).squeeze(1);
    EXPECT_TRUE(torch::allclose(own.to(torch::kFloat64),
                                half.scores_as_written(asked.heads, asked.directed, asked.tails), 1e-5, 1e-5));
  }
}

TEST(TableModel, IsStoredWithItsEntitiesInBfloat16) {
  const testing::TempDir dir;
  ComplExConfig config;
  config.dim = 14;
  config.precision = TablePrecision::bf16;
  const TableModel model(config, kEntities, kRelations, torch::kCPU), other(config, kEntities, kRelations, torch::kCPU);
  save_tensors(dir / "model.safetensors", model.parameters(), {});
  const TensorFile stored = load_tensors(dir / "model.safetensors");
  EXPECT_EQ(stored.at("entities").scalar_type(), torch::kBFloat16);
  EXPECT_EQ(stored.at("relations").scalar_type(), torch::kFloat32);
  copy_into(other.parameters(), stored);
  EXPECT_TRUE(torch::equal(other.entities(), model.entities()));
}

TEST(TableModel, MeasuresComplexNumbersByTheirModulus) {
  TableModelConfig config;
  config.dim = 4;
  const TableModel model(config, 2, 1, torch::kCPU);
  const torch::Tensor row = torch::tensor({3.0F, 0.0F, 4.0F, 2.0F}).view({1, 4});
  EXPECT_TRUE(torch::equal(model.squared_moduli(row), torch::tensor({25.0F, 4.0F}).view({1, 2})));
}

TEST(TableModel, RefusesHalfAComplexNumber) {
  TableModelConfig config;
  config.dim = 7;
  EXPECT_ERROR(TableModel(config, 2, 1, torch::kCPU), "model.dim is 7, but ComplEx needs an even dimension");
}

TEST(TableModel, OfAShardHasTheRowsThatTheWholeHas) {
  constexpr std::int64_t kMany = (std::int64_t{1} << 16) + 1000;  // drawn in two turns
  for (const TablePrecision precision : {TablePrecision::fp32, TablePrecision::bf16}) {
    TableModelConfig config;
    config.dim = 4;
    config.precision = precision;
    torch::manual_seed(9);
    const TableModel whole(config, kMany, 3, torch::kCPU);
    for (const RowShare shard : {RowShare{0, 10}, RowShare{65'000, 1400}, RowShare{kMany - 5, 5}, RowShare{40, 0}}) {
      torch::manual_seed(9);
      const TableModel part(config, kMany, 3, torch::kCPU, shard);
      EXPECT_TRUE(torch::equal(part.entities(), whole.entities().narrow(0, shard.first, shard.count)));
      EXPECT_TRUE(torch::equal(part.relations(), whole.relations()));
      EXPECT_EQ(part.parameters()[0].whole_rows, kMany);
    }
    EXPECT_FALSE(whole.parameters()[0].sharded());
  }
}

}  // namespace
}  // namespace hasa
