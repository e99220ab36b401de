#include "hasa/eval/rank_together.h"

#include <gtest/gtest.h>

#include "hasa/base/testing.h"
#include "hasa/dist/ranks_for_tests.h"
#include "hasa/kg/synthetic.h"
#include "hasa/model/query_columns.h"
#include "hasa/model/sharded_scorer.h"

namespace hasa {
namespace {

using testing::in_ranks;

constexpr std::int64_t kEntitiesHere = 23;

/// Scores of every query for every entity, [given, relation, entity]: few numbers, so that there are many ties.
torch::Tensor drawn_scores(std::int64_t relations) {
  torch::manual_seed(3);
  return torch::randint(0, 4, {kEntitiesHere, relations, kEntitiesHere}).to(torch::kFloat32);
}

torch::Tensor scores_in(const torch::Tensor& drawn, std::span<const Query> queries) {
  const QueryIds ids = ids_of(queries, torch::kCPU);
  return drawn.index({ids.given, ids.relations});
}

class WholeScores : public Scorer {
 public:
  explicit WholeScores(torch::Tensor drawn) : drawn_(std::move(drawn)) {}
  std::int64_t num_entities() const override { return kEntitiesHere; }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return {}; }
  torch::Tensor scores(std::span<const Query> queries) const override { return scores_in(drawn_, queries); }
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }

 private:
  torch::Tensor drawn_;
};

class ShardOfScores : public ShardedScorer {
 public:
  ShardOfScores(torch::Tensor drawn, Comm& comm) : drawn_(std::move(drawn)), comm_(comm) {}
  std::int64_t num_entities() const override { return kEntitiesHere; }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return {}; }
  Comm& comm() const override { return comm_; }
  torch::Tensor own_scores(std::span<const Query> queries) const override {
    const RowShare shard = comm_.share_of(kEntitiesHere);
    return scores_in(drawn_, queries).narrow(1, shard.first, shard.count);
  }

 private:
  torch::Tensor drawn_;
  Comm& comm_;
};

Graph graph_of_many_answers() {
  SyntheticOptions options;
  options.entities = kEntitiesHere;
  options.relations = 2;
  options.triples = 150;
  options.texts = false;
  return synthetic_graph(options);
}

TEST(RankTogether, OfShardedScoresFindsTheRanksOfOneProcess) {
  HASA_NEEDS_DIST();
  const Graph graph = graph_of_many_answers();
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const std::vector<Triple> queries = with_inverses(graph.triples(Split::train), graph.relations());
  const torch::Tensor drawn = drawn_scores(graph.num_directed_relations());
  const std::vector<RankedQuery> expected = rank_queries(WholeScores(drawn), queries, known);
  for (const int size : {2, 3}) {
    in_ranks(size, [&](Comm& comm) {
      const ShardOfScores scorer(drawn, comm);
      // A budget for all queries at once, and for one at a time.
      for (const std::int64_t budget : {std::int64_t{1} << 20, std::int64_t{1}}) {
        const auto some = budget > 1 ? std::span(queries) : std::span(queries).first(9);
        const std::vector<RankedQuery> ranked = rank_together(scorer, some, known, {.budget_bytes = budget}, comm);
        ASSERT_EQ(ranked.size(), some.size());
        for (std::size_t i = 0; i < ranked.size(); ++i) {
          EXPECT_EQ(ranked[i].better, expected[i].better) << i;
          EXPECT_EQ(ranked[i].equal, expected[i].equal) << i;
          EXPECT_EQ(ranked[i].known_better, expected[i].known_better) << i;
          EXPECT_EQ(ranked[i].known_equal, expected[i].known_equal) << i;
        }
      }
    });
  }
}

TEST(RankTogether, GathersShardedScoresForWhoeverAsksForAll) {
  HASA_NEEDS_DIST();
  const torch::Tensor drawn = drawn_scores(2);
  in_ranks(3, [&](Comm& comm) {
    const ShardOfScores scorer(drawn, comm);
    const WholeScores whole(drawn);
    const std::vector<Query> queries = {{0, 1}, {22, 0}, {7, 1}};
    EXPECT_TRUE(torch::equal(scorer.scores(queries), whole.scores(queries)));
    const torch::Tensor candidates = torch::tensor({0, 7, 8, 22, 15, 3}, torch::kInt64).view({3, 2});
    EXPECT_TRUE(torch::equal(scorer.scores_of(queries, candidates), whole.scores_of(queries, candidates)));
  });
}

TEST(RankTogether, RefusesADivergedModelWhereverItsScoreIsNoNumber) {
  HASA_NEEDS_DIST();
  const Graph graph = graph_of_many_answers();
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const std::vector<Triple> queries{graph.triples(Split::train).front()};
  torch::Tensor drawn = drawn_scores(graph.num_directed_relations());
  drawn.select(2, queries[0].tail).fill_(std::numeric_limits<float>::quiet_NaN());
  in_ranks(2, [&](Comm& comm) {
    EXPECT_ERROR(rank_together(ShardOfScores(drawn, comm), queries, known, {}, comm), "a score is not a number");
  });
}

}  // namespace
}  // namespace hasa
