#include "hasa/ops/table/row_update.h"

#include <bit>
#include <cmath>
#include <limits>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/core/random_rounding.h"
#include "hasa/ops/score/pair_scores.h"

namespace hasa {
namespace {

constexpr RowRule kRules[] = {RowRule::adam, RowRule::adagrad, RowRule::row_adagrad};
constexpr Similarity kSimilarities[] = {Similarity::dot, Similarity::negative_l1, Similarity::negative_l2,
                                        Similarity::negative_modulus};

/// Four steps of what ships, side by side with the reference; sizes: queries, candidates of each, and direct rows.
void expect_reference(RowRule rule, torch::Device device, std::int64_t dim, std::int64_t queries = 3,
                      std::int64_t direct = 6, Similarity similarity = Similarity::dot) {
  constexpr std::int64_t kRows = 50;
  const torch::Tensor table = torch::randn({kRows, dim}).to(device);
  const RowState state = RowState::of(table, rule);
  RowUpdateReference expected{table, state};
  for (std::int64_t t = 1; t <= 4; ++t) {
    // Of half the rows, so that many are named more than once and some never; strided, as callers may have them.
    const SampledRows sampled{torch::randn({dim, queries}).t().to(device),
                              torch::randint(0, kRows / 2, {queries, 5}, torch::kInt32).to(device),
                              torch::randn({queries, 5}).to(device), similarity};
    const DirectRows rows{torch::randint(0, kRows / 2, {direct}, torch::kInt32).to(device),
                          torch::randn({direct, dim}).to(device)};
    const RowStep step{rule, 0.05, 0.1, t};
    expected = update_rows_reference(expected.table, expected.state, sampled, rows, step);
    update_rows(table, state, sampled, rows, step);
  }
  const auto near = [](const torch::Tensor& got, const torch::Tensor& of) {
    return torch::allclose(got.cpu().to(torch::kFloat64), of, 1e-4, 1e-4);
  };
  EXPECT_TRUE(near(table, expected.table)) << dim << " " << queries << " " << direct;
  EXPECT_TRUE(near(state.squares, expected.state.squares)) << dim << " " << queries << " " << direct;
}

TEST(RowUpdate, MatchesTheDoubleReferenceOverSeveralSteps) {
  torch::manual_seed(1);
  for (const RowRule rule : kRules) {
    for (const std::int64_t count : {0, 1, 31, 33}) expect_reference(rule, torch::kCPU, 34, count, count);
    expect_reference(rule, torch::kCPU, 34, 3, 1025);
  }
}

TEST(RowUpdate, ComparesRowsWithQueriesAsTheReferenceDoes) {
  torch::manual_seed(4);
  // By number, a first step is the gradient's sign, which rounding may turn where it is near 0.
  for (const Similarity similarity : kSimilarities) {
    for (const std::int64_t dim : {2, 34, 130}) {
      expect_reference(RowRule::row_adagrad, torch::kCPU, dim, 31, 0, similarity);
    }
  }
}

TEST(RowUpdate, LeavesRowsThatAreNotNamedAsTheyAre) {
  torch::manual_seed(2);
  const torch::Tensor before = torch::randn({5000, 8});
  torch::Tensor table = before.clone();
  const RowState state = RowState::of(table, RowRule::adam);
  const torch::Tensor ids = torch::tensor({4999, 0, 4999, 2048}, torch::kInt32);
  update_rows(table, state, {}, {ids, torch::ones({4, 8})}, {RowRule::adam, 0.1, 0, 1});
  const torch::Tensor changed = (table != before).any(1).nonzero().view(-1);
  EXPECT_TRUE(torch::equal(changed, torch::tensor({0, 2048, 4999}, torch::kInt64)));
  EXPECT_TRUE(torch::equal((state.squares != 0).any(1).nonzero().view(-1), changed));
}

TEST(RowUpdate, TakesOnlyTheCandidatesThatCountWhereSomeDoNot) {
  torch::manual_seed(6);
  for (const std::int64_t direct : {0, 5}) {
    for (const std::vector<std::int64_t>& counting : {std::vector<std::int64_t>{}, {0, 3, 4, 17, 29}, {29}}) {
      const torch::Tensor table = torch::randn({20, 34});
      const RowState state = RowState::of(table, RowRule::row_adagrad);
      const torch::Tensor cells = torch::tensor(counting, torch::kInt64);
      SampledRows sampled{torch::randn({6, 34}), torch::randint(0, 20, {6, 5}, torch::kInt32), torch::randn({6, 5}),
                          Similarity::negative_l1, cells};
      const DirectRows rows{torch::randint(0, 20, {direct}, torch::kInt32), torch::randn({direct, 34})};
      const RowStep step{RowRule::row_adagrad, 0.05, 0.1};
      const RowUpdateReference expected = update_rows_reference(table, state, sampled, rows, step);
      // What stands where nothing counts is no row of the table.
      const torch::Tensor there = torch::zeros({30}, torch::kBool).index_fill(0, cells, 1).view({6, 5});
      sampled.candidates = torch::where(there, sampled.candidates, torch::full_like(sampled.candidates, -7));
      update_rows(table, state, sampled, rows, step);
      EXPECT_TRUE(torch::allclose(table.to(torch::kFloat64), expected.table, 1e-4, 1e-4));
      EXPECT_TRUE(torch::allclose(state.squares.to(torch::kFloat64), expected.state.squares, 1e-4, 1e-4));
    }
  }
}

TEST(RowUpdate, RoundsAPartOfABfloat16TableAsItRoundsTheWhole) {
  torch::manual_seed(7);
  const torch::Tensor start = torch::randn({40, 34}).to(torch::kBFloat16), grads = torch::randn({40, 34});
  const auto updated = [&](std::int64_t first, std::int64_t count) {
    const torch::Tensor table = start.narrow(0, first, count).clone();
    update_rows(table, RowState::of(table, RowRule::adagrad), {},
                {torch::arange(count, torch::kInt32), grads.narrow(0, first, count)},
                {.rule = RowRule::adagrad, .rate = 0.01, .seed = 5, .first_row = first});
    return table;
  };
  EXPECT_TRUE(torch::equal(torch::cat({updated(0, 13), updated(13, 27)}), updated(0, 40)));
}

TEST(RowUpdate, KeepsFourBytesARowForRowAdagrad) {
  const RowState state = RowState::of(torch::zeros({7, 100}), RowRule::row_adagrad);
  EXPECT_EQ(state.squares.numel(), 7);
  EXPECT_FALSE(state.means.defined());
}

TEST(RowUpdate, RefusesIdsAndGradientsOfDifferentNumber) {
  torch::Tensor table = torch::zeros({3, 4});
  EXPECT_ERROR(update_rows(table, RowState::of(table, RowRule::adagrad), {},
                           {torch::zeros({2}, torch::kInt32), torch::zeros({1, 4})}, {}),
               "2 ids and gradients of 1 rows");
}

/// A table, something that changes it, and a rule.
struct Change {
  static constexpr std::int64_t kRows = 40;
  torch::Tensor start, queries, candidates, coefficients, grads;
  Similarity similarity;
  RowRule rule;

  Change(std::int64_t dim, Similarity similarity_in, RowRule rule_in)
      : start(torch::randn({kRows, dim}).to(torch::kBFloat16)),
        queries(torch::randn({30, dim})),
        candidates(torch::randint(0, kRows, {30, 7}, torch::kInt32)),
        coefficients(torch::randn({30, 7})),
        grads(torch::randn({kRows, dim})),
        similarity(similarity_in),
        rule(rule_in) {}

  struct Result {
    torch::Tensor table, squares;
  };
  Result in(torch::Dtype dtype, torch::Device device, std::uint64_t seed) const {
    const torch::Tensor table = start.to(dtype).to(device, dtype, /*non_blocking=*/false, /*copy=*/true);
    const RowState state = RowState::of(table, rule);
    update_rows(table, state, {queries.to(device), candidates.to(device), coefficients.to(device), similarity},
                {torch::arange(kRows, torch::kInt32).to(device), grads.to(device)}, {rule, 0.1, 0.01, 1, seed});
    return {table.cpu(), state.squares.cpu()};
  }
};

/// float32 numbers rounded as random_rounding.h says, one after the other.
torch::Tensor rounded_as_written(const torch::Tensor& table, std::uint64_t seed) {
  torch::Tensor out = torch::empty(table.sizes(), torch::kBFloat16);
  const std::int64_t dim = table.size(1);
  for (std::int64_t row = 0; row < table.size(0); ++row) {
    for (std::int64_t column = 0; column < dim; ++column) {
      const auto counter = static_cast<std::uint64_t>(row * ((dim + 7) / 8) + column / 8);
      const std::uint32_t draw = philox(counter, seed)[static_cast<int>(column % 8)];
      const float x = table.const_data_ptr<float>()[row * dim + column];
      const auto bits = static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(x) + draw) >> 16);
      out.data_ptr<c10::BFloat16>()[row * dim + column] = c10::BFloat16(bits, c10::BFloat16::from_bits());
    }
  }
  return out;
}

TEST(RowUpdate, OfABfloat16TableIsThatOfTheSameNumbersInFloat32AndThenRounded) {
  torch::manual_seed(5);
  for (const Similarity similarity : kSimilarities) {
    for (const RowRule rule : kRules) {
      for (const std::int64_t dim : {2, 16, 34, 62, 130}) {
        SCOPED_TRACE(dim);
        const Change change(dim, similarity, rule);
        const Change::Result whole = change.in(torch::kFloat32, torch::kCPU, 9);
        const Change::Result half = change.in(torch::kBFloat16, torch::kCPU, 9);
        ASSERT_EQ(half.table.scalar_type(), torch::kBFloat16);
        ASSERT_EQ(half.squares.scalar_type(), torch::kFloat32);
        EXPECT_TRUE(torch::allclose(half.squares, whole.squares, 1e-6, 1e-9));
        // A last place that a compiler has summed otherwise may be what is carried over.
        const torch::Tensor same = half.table.eq(rounded_as_written(whole.table, 9));
        EXPECT_GE(same.sum().item<std::int64_t>(), same.numel() - 1 - same.numel() / 1000);
        EXPECT_FALSE(torch::equal(half.table, change.in(torch::kBFloat16, torch::kCPU, 10).table));
      }
    }
  }
}

TEST(RowUpdate, LosesNoSmallChangeOfABfloat16TableOnAverage) {
  // Steps of 1/1024, where bfloat16 has 1/128 between two numbers: rounding to the nearest would never move.
  constexpr std::int64_t kRows = 1000, kDim = 40, kSteps = 64;
  constexpr double kUnit = 1.0 / 128;
  const torch::Tensor sign = torch::where(torch::arange(kDim).lt(kDim / 2), 1.0F, -1.0F);
  torch::Tensor table = sign.expand({kRows, kDim}).to(torch::kBFloat16).contiguous();
  // Squares so great divide by a million, whatever is added to them.
  const RowState state{torch::full({kRows, kDim}, 1e12F), {}};
  const torch::Tensor grads = (-sign / 1024).expand({kRows, kDim}).contiguous();
  for (std::uint64_t seed = 1; seed <= kSteps; ++seed)
    update_rows(table, state, {}, {torch::arange(kRows, torch::kInt32), grads}, {RowRule::adagrad, 1e6, 0, 1, seed});
  const torch::Tensor units = (table.to(torch::kFloat64) * sign - 1) / kUnit;
  // Of 64 draws with a chance of 1/8 each: 8, with a variance of 7.
  const double noise = std::sqrt(7.0 / (kRows * kDim));
  EXPECT_NEAR(units.mean().item<double>(), 8, 4 * noise);
  EXPECT_NEAR(units.var().item<double>(), 7, 0.3);
  EXPECT_NEAR(units.mean(0).sub(8).abs().max().item<double>(), 0, 5 * std::sqrt(7.0 / kRows));
}

TEST(RowUpdate, KeepsNumbersOfABfloat16TableThatDoNotChange) {
  torch::manual_seed(6);
  torch::Tensor table = torch::randn({8, 37}).to(torch::kBFloat16);
  const float infinity = std::numeric_limits<float>::infinity();
  table[0][3] = infinity;
  table[0][4] = -infinity;
  table[1][36] = std::numeric_limits<float>::quiet_NaN();
  const torch::Tensor before = table.clone();
  for (const RowRule rule : kRules) {
    update_rows(table, RowState::of(table, rule), {}, {torch::arange(8, torch::kInt32), torch::zeros({8, 37})},
                {rule, 0.1, 0, 1, 3});
    EXPECT_TRUE(torch::allclose(table, before, 0, 0, /*equal_nan=*/true));
  }
}

TEST(RowUpdateGpu, RoundsABfloat16TableAsTheCpuDoes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(7);
  // Rows whose numbers are read one by one, and four at a time in one turn and in several.
  for (const std::int64_t dim : {34, 36, 500, 534, 1032}) {
    for (const Similarity similarity : kSimilarities) {
      for (const RowRule rule : kRules) {
        SCOPED_TRACE(dim);
        const Change change(dim, similarity, rule);
        const Change::Result cpu = change.in(torch::kBFloat16, torch::kCPU, 5);
        const Change::Result gpu = change.in(torch::kBFloat16, torch::kCUDA, 5);
        EXPECT_TRUE(torch::allclose(gpu.squares, cpu.squares, 1e-3, 1e-3));
        // Sums of another order carry over into the last place now and then; with other draws half of the numbers
        // would differ. One unit of it is 1/128 of a number at most; more than that only where a gradient is so near 0
        // that its sign is left to chance.
        const torch::Tensor x = gpu.table.to(torch::kFloat32), y = cpu.table.to(torch::kFloat32);
        const auto share = [](const torch::Tensor& of) { return of.to(torch::kFloat64).mean().item<double>(); };
        EXPECT_LT(share(x.ne(y)), 0.01);
        EXPECT_LT(share(torch::isclose(x, y, 1.0 / 64, 1e-6).logical_not()), 1e-3);
      }
    }
  }
}

TEST(RowUpdateGpu, MatchesTheDoubleReferenceOverSeveralSteps) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(3);
  // Rows whose numbers are read one by one, four at a time, and in several turns.
  for (const std::int64_t dim : {34, 200, 500, 534, 1100}) {
    SCOPED_TRACE(dim);
    for (const RowRule rule : kRules) expect_reference(rule, torch::kCUDA, dim);
  }
}

TEST(RowUpdateGpu, ComparesRowsWithQueriesAsTheCpuDoes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(4);
  constexpr std::int64_t kRows = 40, kDim = 1032;
  for (const Similarity similarity : kSimilarities) {
    SCOPED_TRACE(static_cast<int>(similarity));
    const torch::Tensor start = torch::randn({kRows, kDim}), queries = torch::randn({90, kDim});
    const torch::Tensor candidates = torch::randint(0, kRows, {90, 7}, torch::kInt32);
    const torch::Tensor coefficients = torch::randn({90, 7});
    const auto updated = [&](torch::Device device) {
      torch::Tensor table = start.clone().to(device);
      // A rule whose step follows the gradient smoothly: by number, the first step would be its sign.
      const RowState state = RowState::of(table, RowRule::row_adagrad);
      update_rows(table, state, {queries.to(device), candidates.to(device), coefficients.to(device), similarity}, {},
                  {RowRule::row_adagrad, 1, 0, 1});
      return torch::cat({table, state.squares.unsqueeze(1)}, 1).cpu();
    };
    EXPECT_TRUE(torch::allclose(updated(torch::kCUDA), updated(torch::kCPU), 1e-3, 1e-3));
  }
}

}  // namespace
}  // namespace hasa
