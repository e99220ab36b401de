#include "hasa/ops/table/listed_scores.h"

#include <vector>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/row_update.h"

namespace hasa {
namespace {

constexpr Similarity kSimilaritiesOfLists[] = {Similarity::dot, Similarity::negative_l1, Similarity::negative_l2,
                                               Similarity::negative_modulus};
constexpr std::int64_t kRowsOfLists = 37;

/// Lists of these lengths, for a query each.
RaggedIds lists_of(const std::vector<std::int64_t>& lengths) {
  const torch::Tensor ends = torch::tensor(lengths, torch::kInt64).cumsum(0);
  const std::int64_t total = lengths.empty() ? 0 : ends[-1].item<std::int64_t>();
  return {torch::randint(0, kRowsOfLists, {total}, torch::kInt64),
          torch::cat({torch::zeros({1}, torch::kInt64), ends})};
}

/// The gradient of the whole table: what adagrad at squares of 1e12 and a rate of 1e6 takes off it.
torch::Tensor gradient_of_table(const torch::Tensor& queries, const torch::Tensor& table, const RaggedIds& lists,
                                const torch::Tensor& coefficients, Similarity similarity) {
  const torch::Tensor changed = table.clone();
  const torch::Tensor each = queries.index_select(0, lists.row_of_each());
  update_rows(changed, {torch::full_like(changed, 1e12), {}},
              {each, lists.ids.to(torch::kInt32).unsqueeze(1), coefficients.unsqueeze(1), similarity}, {},
              {RowRule::adagrad, 1e6});
  return table - changed;
}

void expect_as_by_autograd(const std::vector<std::int64_t>& lengths, std::int64_t dim, Similarity similarity,
                           torch::Device device) {
  SCOPED_TRACE(fmt::format("{} lists of rows of {}, similarity {}", lengths.size(), dim, static_cast<int>(similarity)));
  const RaggedIds lists = lists_of(lengths);
  const auto queries = torch::randn({lists.rows(), dim}) * 0.3, table = torch::randn({kRowsOfLists, dim}) * 0.3;
  const torch::Tensor slopes = torch::randn({lists.ids.size(0)});
  const ListedReference expected = listed_reference(queries, table, lists, slopes, similarity);
  const torch::Tensor q = queries.to(device), t = table.to(device);
  const torch::Tensor scores = listed_scores(q, t, lists.to(device), similarity);
  const ListedGradient got = listed_gradient(q, t, lists.to(device), scores, slopes.to(device), similarity);
  const auto near = [](const torch::Tensor& a, const torch::Tensor& b) {
    return torch::allclose(a.cpu().to(torch::kFloat64), b, 2e-4, 2e-5);
  };
  EXPECT_TRUE(near(scores, expected.scores));
  EXPECT_TRUE(near(got.query_grad, expected.query_grad));
  if (lists.ids.size(0) == 0) return;
  EXPECT_TRUE(near(gradient_of_table(queries, table, lists, got.coefficients.cpu(), similarity), expected.table_grad));
}

void expect_at_all_sizes(torch::Device device) {
  torch::manual_seed(1);
  for (const Similarity similarity : kSimilaritiesOfLists) {
    for (const std::int64_t dim : {2, 34, 130}) expect_as_by_autograd({3, 0, 1, 33, 4, 5}, dim, similarity, device);
    expect_as_by_autograd({1025}, 16, similarity, device);
    expect_as_by_autograd({0, 0, 7}, 16, similarity, device);
    expect_as_by_autograd({0, 0}, 16, similarity, device);
    expect_as_by_autograd({}, 16, similarity, device);
  }
}

TEST(ListedScores, AndTheirGradientsAreThoseOfAutogradForListsOfAnyLength) { expect_at_all_sizes(torch::kCPU); }

TEST(ListedScoresGpu, AndTheirGradientsAreThoseOfAutogradForListsOfAnyLength) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_at_all_sizes(torch::kCUDA);
}

TEST(ListedScores, OfABfloat16TableAreThoseOfTheSameNumbersInFloat32) {
  torch::manual_seed(2);
  for (const Similarity similarity : kSimilaritiesOfLists) {
    const RaggedIds lists = lists_of({3, 9, 0, 1});
    const torch::Tensor queries = torch::randn({4, 34}), table = torch::randn({kRowsOfLists, 34}).to(torch::kBFloat16);
    const torch::Tensor wide = table.to(torch::kFloat32), slopes = torch::randn({13});
    const torch::Tensor scores = listed_scores(queries, table, lists, similarity);
    EXPECT_TRUE(torch::allclose(scores, listed_scores(queries, wide, lists, similarity), 1e-6, 1e-7));
    EXPECT_TRUE(torch::allclose(listed_gradient(queries, table, lists, scores, slopes, similarity).query_grad,
                                listed_gradient(queries, wide, lists, scores, slopes, similarity).query_grad, 1e-6,
                                1e-6));
  }
}

TEST(ListedScores, RefuseListsOfOtherQueries) {
  const torch::Tensor rows = torch::zeros({3, 4});
  EXPECT_ERROR(listed_scores(rows, rows, lists_of({1, 2}), Similarity::dot), "2 lists for 3 queries");
  EXPECT_ERROR(listed_gradient(rows, rows, lists_of({1, 2, 1}), torch::zeros({4}), torch::zeros({3}), Similarity::dot),
               "expected 4 scores and slopes");
}

}  // namespace
}  // namespace hasa
