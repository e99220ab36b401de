#include "hasa/eval/paper_protocol.h"

#include <cmath>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

Graph graph(std::size_t test_triples = 1) {
  std::string test;
  for (std::size_t i = 0; i < test_triples; ++i) test += "a\tr\tb\n";
  return parse_benchmark(
      {"small", {"train.txt", "a\tr\tc\nd\tr\te\nf\tr\tg\n"}, {"valid.txt", "a\tr\td\n"}, {"test.txt", test}, {}, {}});
}

/// The same scores for every query.
class FixedScorer : public VectorScorer {
 public:
  explicit FixedScorer(const torch::Tensor& scores) : entities_(scores.unsqueeze(1)) {}
  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override {
    return torch::ones({static_cast<std::int64_t>(queries.size()), 1});
  }

 private:
  torch::Tensor entities_;
};

/// Scores by entity id, everything else far below.
RankedQuery ranked_tail(const std::map<std::string, float>& scores) {
  const Graph g = graph();
  torch::Tensor all = torch::full({g.entities()}, -50.0F);
  for (const auto& [id, score] : scores) all[g.find_entity(id).value()] = score;
  return rank_as_the_paper(FixedScorer(all), g, KnownAnswers::of_all_splits(g), Split::test).at(0);
}

TEST(PaperProtocol, AnEntityMustBeBetterByAThousandthAfterTheExponential) {
  EXPECT_EQ(ranked_tail({{"b", 0.0F}, {"e", std::log(1.0009F)}}).better, 0);
  EXPECT_EQ(ranked_tail({{"b", 0.0F}, {"e", std::log(1.0011F)}}).better, 1);
  EXPECT_EQ(ranked_tail({{"b", -20.0F}, {"e", -7.0F}}).better, 0);
  EXPECT_EQ(ranked_tail({{"b", -20.0F}, {"e", -6.9F}}).better, 1);
}

TEST(PaperProtocol, TheHeadAndKnownAnswersAreNoCandidates) {
  EXPECT_EQ(ranked_tail({{"b", 0.0F}, {"a", 5.0F}, {"c", 5.0F}, {"d", 5.0F}}).better, 0);
  EXPECT_EQ(ranked_tail({{"b", 0.0F}, {"a", 5.0F}, {"c", 5.0F}, {"f", 5.0F}}).better, 1);
}

TEST(PaperProtocol, ScoresTooLargeForTheExponentialAreStillCompared) {
  EXPECT_EQ(ranked_tail({{"b", 5000.0F}, {"e", 5001.0F}, {"f", 4999.0F}}).better, 1);
  EXPECT_EQ(ranked_tail({{"b", 5000.0F}, {"e", 5000.0F}}).better, 0);
}

TEST(PaperProtocol, TheThresholdIsWhatItsFormulaSays) {
  for (const double score : {-30.0, -7.0, -1.0, 0.0, 1.0, 20.0})
    EXPECT_NEAR(std::exp(paper_threshold(score)), std::exp(score) + 0.001,
                1e-12 * std::exp(std::max(0.0, score)) + 1e-15);
  EXPECT_EQ(paper_threshold(1e6), 1e6);
}

TEST(PaperProtocol, TakesTheFirstTwelveBatchesAndAlternatesWithInverses) {
  const Graph g = graph(3000);
  const auto ranked =
      rank_as_the_paper(FixedScorer(torch::zeros({g.entities()})), g, KnownAnswers::of_all_splits(g), Split::test);
  ASSERT_EQ(ranked.size(), 12U * 256);
  EXPECT_EQ(ranked[1].triple, inverse(ranked[0].triple, g.relations()));
  EXPECT_EQ(ranked[2].triple, g.triples(Split::test)[1]);
}

TEST(PaperProtocol, MeanRanksCountFromZeroAndTheRestFromOne) {
  const std::vector<RankedQuery> ranked{{{0, 0, 1}, 0}, {{1, 1, 0}, 3}};
  const PaperScores scores = paper_scores(ranked);
  EXPECT_DOUBLE_EQ(scores.mean_rank, 1.5);
  EXPECT_DOUBLE_EQ(scores.mrr, 0.625);
  EXPECT_DOUBLE_EQ(scores.hits_at_1, 0.5);
  EXPECT_DOUBLE_EQ(scores.hits_at_3, 0.5);
}

}  // namespace
}  // namespace hasa
