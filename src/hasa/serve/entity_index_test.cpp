#include "hasa/serve/entity_index.h"

#include <ATen/ops/mm.h>

#include <chrono>
#include <limits>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/serve/faiss_index.h"
#include "hasa/serve/stored_vectors.h"

namespace hasa {
namespace {

using testing::TempDir;

torch::Tensor drawn(std::int64_t rows, std::int64_t dim, std::uint64_t seed) {
  torch::manual_seed(seed);
  return torch::randn({rows, dim});
}

/// Vectors in groups, as those of a graph's entities are, and queries near some of them.
struct Groups {
  torch::Tensor entities, queries;
  explicit Groups(std::int64_t size) {
    const torch::Tensor centres = drawn(40, 16, 1);
    entities = centres.index_select(0, torch::arange(size).remainder(40)) + 0.3 * drawn(size, 16, 2);
    queries = centres.index_select(0, torch::arange(64).remainder(40)) + 0.3 * drawn(64, 16, 3);
  }
};

/// All scores in double, and a sort.
torch::Tensor nearest_by_sorting(const torch::Tensor& queries, const torch::Tensor& entities, Similarity similarity,
                                 std::int64_t k) {
  const torch::Tensor q = queries.to(torch::kFloat64), e = entities.to(torch::kFloat64);
  const torch::Tensor scores =
      similarity == Similarity::dot ? q.matmul(e.t()) : -(q.unsqueeze(1) - e.unsqueeze(0)).square().sum(-1).sqrt();
  return std::get<1>(scores.sort(1, /*descending=*/true)).slice(1, 0, k);
}

TEST(ExactIndex, FindsWhatSortingAllScoresFindsAlsoBeyondOnePart) {
  for (const Similarity similarity : {Similarity::dot, Similarity::negative_l2}) {
    const torch::Tensor entities = drawn(40'000, 5, 4), queries = drawn(70, 5, 5);
    const Nearest found = exact_index(entities, similarity)->nearest(queries, 7);
    EXPECT_TRUE(torch::equal(found.entities, nearest_by_sorting(queries, entities, similarity, 7)));
  }
}

TEST(ExactIndex, SaysWhereThereAreFewerEntitiesThanWereAskedFor) {
  const torch::Tensor entities = torch::tensor({{1.0F}, {3.0F}, {3.0F}});
  const Nearest found = exact_index(entities, Similarity::dot)->nearest(torch::ones({1, 1}), 5);
  EXPECT_TRUE(torch::equal(found.entities, torch::tensor({{1, 2, 0, -1, -1}}, torch::kInt64)));
  EXPECT_TRUE(found.scores.isnan().slice(1, 3).all().item<bool>());
  EXPECT_EQ(exact_index(entities, Similarity::dot)->nearest(torch::ones({0, 1}), 5).entities.size(0), 0);
  EXPECT_ERROR(exact_index(torch::ones({3}), Similarity::dot), "vectors [entities, dim]");
}

TEST(Recall, IsTheShareOfTheBestThatWasFound) {
  const Nearest exact{torch::tensor({{1, 2}, {3, -1}}, torch::kInt64), {}};
  EXPECT_DOUBLE_EQ(recall({torch::tensor({{2, 9}, {3, 1}}, torch::kInt64), {}}, exact), 2.0 / 3);
}

TEST(StoredVectors, FindAsWellAsTheirPrecisionAllows) {
  const TempDir dir;
  const Groups groups(2000);
  const Nearest exact = exact_index(groups.entities, Similarity::dot)->nearest(groups.queries, 10);
  const std::pair<VectorPrecision, double> least[] = {
      {VectorPrecision::f32, 1}, {VectorPrecision::f16, 0.98}, {VectorPrecision::i8, 0.9}};
  std::uintmax_t before = std::numeric_limits<std::uintmax_t>::max();
  for (const auto& [precision, recall_wanted] : least) {
    const auto file = dir / to_string(precision);
    StoredVectors::write(file, groups.entities, Similarity::dot, precision);
    const StoredVectors stored(file);
    EXPECT_EQ(stored.size(), 2000);
    EXPECT_EQ(stored.precision(), precision);
    EXPECT_GE(recall(stored.nearest(groups.queries, 10), exact), recall_wanted) << to_string(precision);
    EXPECT_LT(std::filesystem::file_size(file), before);
    before = std::filesystem::file_size(file);
  }
}

TEST(StoredVectors, KeepEveryRowWithinHalfAStepOfItself) {
  const TempDir dir;
  const torch::Tensor entities = drawn(50, 8, 6) * torch::tensor({1e-3F, 1e3F}).repeat({25}).unsqueeze(1);
  StoredVectors::write(dir / "x", entities, Similarity::negative_l2, VectorPrecision::i8);
  const StoredVectors stored(dir / "x");
  EXPECT_EQ(stored.similarity(), Similarity::negative_l2);
  const torch::Tensor step = std::get<0>(entities.abs().max(1)) / 127;
  const torch::Tensor off = (stored.rows(0, 50) - entities).abs().amax(1);
  EXPECT_TRUE(off.le(step * 0.501).all().item<bool>());
}

TEST(StoredVectors, RefuseWhatIsDamagedOrSomethingElse) {
  const TempDir dir;
  StoredVectors::write(dir / "x", drawn(5, 3, 7), Similarity::dot, VectorPrecision::f16);
  std::string bytes = read_file(dir / "x");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(dir / "damaged", bytes);
  EXPECT_ERROR(StoredVectors(dir / "damaged").rows(0, 5), "damaged");
  write_file(dir / "text", "not at all");
  EXPECT_ERROR(StoredVectors(dir / "text"), "text");
}

class Faiss : public ::testing::Test {
  void SetUp() override {
    if (!FaissIndex::is_built_in()) GTEST_SKIP() << "built without FAISS (libfaiss-dev)";
  }
};

TEST_F(Faiss, ReachesTheRecallThatIsWantedWithLittleOfTheIndex) {
  const Groups groups(3000);
  for (const Similarity similarity : {Similarity::dot, Similarity::negative_l2}) {
    const Nearest exact = exact_index(groups.entities, similarity)->nearest(groups.queries, 10);
    for (const IndexKind kind : {IndexKind::ivf, IndexKind::hnsw}) {
      for (const VectorPrecision precision : {VectorPrecision::f32, VectorPrecision::f16, VectorPrecision::i8}) {
        const auto index = FaissIndex::build(groups.entities, similarity, {.kind = kind, .precision = precision});
        EXPECT_GE(tune(*index, groups.queries, exact, 0.95), precision == VectorPrecision::i8 ? 0.8 : 0.95);
        EXPECT_LE(index->effort(), index->most_effort());
      }
    }
  }
}

TEST_F(Faiss, GivesTheScoresOfExactSearchInItsOrder) {
  const Groups groups(1000);
  for (const Similarity similarity : {Similarity::dot, Similarity::negative_l2}) {
    const auto index = FaissIndex::build(groups.entities, similarity, {.lists = 8});
    index->set_effort(8);  // all of it
    const Nearest exact = exact_index(groups.entities, similarity)->nearest(groups.queries, 10);
    const Nearest found = index->nearest(groups.queries, 10);
    EXPECT_EQ(recall(found, exact), 1);
    EXPECT_TRUE(found.scores.allclose(exact.scores, 1e-4, 1e-4));
  }
}

TEST_F(Faiss, ComesBackFromItsFileAsItWas) {
  const TempDir dir;
  const Groups groups(1000);
  for (const IndexKind kind : {IndexKind::ivf, IndexKind::hnsw}) {
    const auto index = FaissIndex::build(groups.entities, Similarity::dot, {.kind = kind});
    index->set_effort(16);
    index->save(dir / "index.faiss");
    const auto back = FaissIndex::open(dir / "index.faiss");
    EXPECT_EQ(back->effort(), 16);
    EXPECT_EQ(back->size(), 1000);
    EXPECT_TRUE(torch::equal(back->nearest(groups.queries, 5).entities, index->nearest(groups.queries, 5).entities));
  }
  write_file(dir / "none", "IwFlsomething else");
  EXPECT_ERROR(FaissIndex::open(dir / "none"), "no index that FAISS can read");
  EXPECT_ERROR(FaissIndex::open(dir / "nowhere"), "there is no index");
}

TEST_F(Faiss, RefusesASimilarityItDoesNotKnow) {
  EXPECT_ERROR(FaissIndex::build(torch::ones({3, 2}), Similarity::negative_modulus, {}), "dot product or L2");
}

/// A BLAS of the distribution before LibTorch's takes over sgemm_, and its products are 25 times slower without a word.
TEST_F(Faiss, LeavesProductsToTheLibraryThatIsFast) {
  const torch::Tensor a = drawn(512, 512, 8), b = drawn(512, 512, 9);
  // 0.27 GFLOP: a core with AVX2 takes 4 ms or so at its slowest; the reference BLAS 150 ms and more.
  constexpr double kSlow = 0.06;
  double best = std::numeric_limits<double>::infinity();
  // On a busy machine it may take many tries until one is not interrupted.
  for (int i = 0; i < 20 || (best >= kSlow && i < 300); ++i) {
    const auto start = std::chrono::steady_clock::now();
    at::mm(a, b);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  EXPECT_LT(best, kSlow);
}

}  // namespace
}  // namespace hasa
