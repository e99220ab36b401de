#include "hasa/eval/ranking.h"

#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"
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
class RandomScorer : public Scorer {
 public:
  RandomScorer(std::int64_t entities, std::int64_t relations) : entities_(torch::eye(entities)) {
    torch::manual_seed(5);
    scores_ = torch::randint(3, {entities, relations, entities}).to(torch::kFloat32);
  }
  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor& relations) const override {
    return scores_.index({heads, relations});
  }
  float score(const Triple& t) const { return scores_[t.head][t.relation][t.tail].item<float>(); }

 private:
  torch::Tensor entities_, scores_;
};

TEST(RankSplit, CountsWhatABruteForceCountFindsInBothDirections) {
  const Graph g = graph();
  const RandomScorer scorer(g.entities(), g.num_directed_relations());
  std::set<Triple> facts;
  for (const Split split : kSplits) {
    for (const Triple& t : g.triples(split)) facts.insert({t, inverse(t, g.relations())});
  }
  const auto ranked = rank_split(scorer, g, KnownAnswers::of_all_splits(g), Split::test);
  ASSERT_EQ(ranked.size(), 4U);
  for (const RankedQuery& q : ranked) {
    std::int64_t better = 0, equal = 0;
    for (EntityId e = 0; e < g.entities(); ++e) {
      const Triple rival{q.triple.head, q.triple.relation, e};
      if (facts.contains(rival)) continue;
      better += scorer.score(rival) > scorer.score(q.triple) ? 1 : 0;
      equal += scorer.score(rival) == scorer.score(q.triple) ? 1 : 0;
    }
    EXPECT_EQ(q.better, better);
    EXPECT_EQ(q.equal, equal);
  }
  EXPECT_EQ(ranked[2].triple, inverse(ranked[0].triple, g.relations()));
}

TEST(RankSplit, ByTextSimilarityPutsTheHeadItselfFirst) {
  const Graph g = graph();
  const TextSimilarity scorer(torch::eye(g.entities()));
  for (const RankedQuery& q : rank_split(scorer, g, KnownAnswers::of_all_splits(g), Split::test))
    EXPECT_GE(q.better, 1);
}

}  // namespace
}  // namespace hasa
