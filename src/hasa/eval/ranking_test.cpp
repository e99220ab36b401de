#include "hasa/eval/ranking.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/model/query_columns.h"
#include "hasa/model/text_similarity.h"

namespace hasa {
namespace {

Graph graph() {
  return parse_benchmark({"small",
                          {"train.txt", "a\tr\tb\na\tr\tc\nb\ts\tc\nd\tr\te\n"},
                          {"valid.txt", "a\tr\td\n"},
                          {"test.txt", "a\tr\te\nb\ts\td\n"},
                          {},
                          {}});
}

/// Scores drawn at random for every (head, directed relation, tail).
class RandomScorer : public VectorScorer {
 public:
  RandomScorer(std::int64_t entities, std::int64_t relations) : entities_(torch::eye(entities)) {
    torch::manual_seed(5);
    scores_ = torch::randint(3, {entities, relations, entities}).to(torch::kFloat32);
  }
  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override {
    const QueryIds ids = ids_of(queries, device());
    return scores_.index({ids.given, ids.relations});
  }
  float score(const Triple& t) const { return scores_[t.head][t.relation][t.tail].item<float>(); }

 private:
  torch::Tensor entities_, scores_;
};

/// Ranks as their definitions read: sort all rivals of the answer and see where it may come to stand.
struct BruteForce {
  double optimistic = 1, pessimistic = 1;
  double realistic() const { return (optimistic + pessimistic) / 2; }
};
BruteForce brute_force(const RandomScorer& scorer, const Graph& g, const Triple& query,
                       const std::set<Triple>& left_out) {
  BruteForce rank;
  for (EntityId e = 0; e < g.entities(); ++e) {
    const Triple rival{query.head, query.relation, e};
    if (e == query.tail || left_out.contains(rival)) continue;
    rank.optimistic += scorer.score(rival) > scorer.score(query) ? 1 : 0;
    rank.pessimistic += scorer.score(rival) >= scorer.score(query) ? 1 : 0;
  }
  return rank;
}

/// 60 entities, 3 relations, many answers to a query.
Graph random_graph() {
  std::uint32_t random = 11;
  const auto next = [&](std::uint32_t bound) { return ((random = random * 1664525U + 1013904223U) >> 16) % bound; };
  const auto lines = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("e{}\tr{}\te{}\n", next(12), next(3), next(60));
    return text;
  };
  return parse_benchmark(
      {"random", {"train.txt", lines(300)}, {"valid.txt", lines(60)}, {"test.txt", lines(80)}, {}, {}});
}

TEST(RankSplit, MatchesBruteForceUnderEveryRuleOnScoresFullOfTies) {
  const Graph g = random_graph();
  const RandomScorer scorer(g.entities(), g.num_directed_relations());
  std::set<Triple> facts;
  for (const Split split : kSplits) {
    for (const Triple& t : with_inverses(g.triples(split), g.relations())) facts.insert(t);
  }
  std::int64_t ties = 0, known_ties = 0;
  const auto ranked = rank_split(scorer, g, KnownAnswers::of_all_splits(g), Split::test);
  ASSERT_EQ(ranked.size(), 2 * g.triples(Split::test).size());
  for (const RankedQuery& q : ranked) {
    for (const Rivals rivals : {Rivals::filtered, Rivals::raw}) {
      const BruteForce expected =
          brute_force(scorer, g, q.triple, rivals == Rivals::filtered ? facts : std::set<Triple>{});
      EXPECT_EQ(q.rank(TieRule::optimistic, rivals), expected.optimistic);
      EXPECT_EQ(q.rank(TieRule::pessimistic, rivals), expected.pessimistic);
      EXPECT_EQ(q.rank(TieRule::realistic, rivals), expected.realistic());
    }
    EXPECT_EQ(q.realistic(), q.rank(TieRule::realistic));
    ties += q.equal;
    known_ties += q.known_equal;
  }
  EXPECT_GT(ties, 1000);
  EXPECT_GT(known_ties, 100);
}

TEST(RankSplit, ListsAllTailQueriesAndThenAllHeadQueries) {
  const Graph g = graph();
  const RandomScorer scorer(g.entities(), g.num_directed_relations());
  const auto ranked = rank_split(scorer, g, KnownAnswers::of_all_splits(g), Split::test);
  ASSERT_EQ(ranked.size(), 4U);
  EXPECT_EQ(ranked[1].triple, g.triples(Split::test)[1]);
  EXPECT_EQ(ranked[2].triple, inverse(ranked[0].triple, g.relations()));
}

TEST(RankSplit, GivesTheSameRanksUnderAnyBudget) {
  const Graph g = random_graph();
  const RandomScorer scorer(g.entities(), g.num_directed_relations());
  const KnownAnswers known = KnownAnswers::of_all_splits(g);
  const auto whole = rank_split(scorer, g, known, Split::test);
  for (const std::int64_t budget : {1, 5000, 100000}) {
    std::size_t seen = 0;
    const auto parts = rank_split(
        scorer, g, known, Split::test,
        {.budget_bytes = budget, .on_queries = [&](std::span<const Triple> chunk, const torch::Tensor& vectors) {
           EXPECT_EQ(vectors.size(0), static_cast<std::int64_t>(chunk.size()));
           seen += chunk.size();
         }});
    ASSERT_EQ(parts.size(), whole.size());
    EXPECT_EQ(seen, whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(parts[i].triple, whole[i].triple);
      EXPECT_EQ(parts[i].better, whole[i].better);
      EXPECT_EQ(parts[i].known_equal, whole[i].known_equal);
    }
  }
}

/// Vectors as trained models have them: scores that are sums of many terms, each rounded.
class VectorsScorer : public VectorScorer {
 public:
  VectorsScorer(std::int64_t entities, std::int64_t relations) {
    torch::manual_seed(6);
    entities_ = torch::randn({entities, 200});
    relations_ = torch::randn({relations, 200});
  }
  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override {
    const QueryIds ids = ids_of(queries, device());
    return entities_.index_select(0, ids.given) * relations_.index_select(0, ids.relations);
  }

 private:
  torch::Tensor entities_, relations_;
};

TEST(RankSplit, ComputesEveryScoreTheSameUnderAnyBudgetAndForAnyNumberOfThreads) {
  const Graph g = random_graph();
  const VectorsScorer scorer(g.entities(), g.num_directed_relations());
  const std::vector<Triple> queries = with_inverses(g.triples(Split::test), g.relations());
  const auto all_scores = [&](std::int64_t budget) {
    std::vector<torch::Tensor> parts;
    for_each_scored(scorer, queries, {.budget_bytes = budget, .on_queries = {}},
                    [&](const ScoredQueries& part) { parts.push_back(part.scores); });
    return torch::cat(parts);
  };
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const torch::Tensor expected = all_scores(std::int64_t{1} << 30);
  for (const int count : {1, 2, 3}) {
    at::set_num_threads(count);
    for (const std::int64_t budget : {1, 3000, 20000})
      EXPECT_TRUE(torch::equal(all_scores(budget), expected)) << budget;
  }
  at::set_num_threads(threads);
}

TEST(RankSplit, ByTextSimilarityPutsTheHeadItselfFirst) {
  const Graph g = graph();
  const TextSimilarity scorer(torch::eye(g.entities()));
  for (const RankedQuery& q : rank_split(scorer, g, KnownAnswers::of_all_splits(g), Split::test))
    EXPECT_GE(q.better, 1);
}

}  // namespace
}  // namespace hasa
