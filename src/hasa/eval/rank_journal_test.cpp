#include "hasa/eval/rank_journal.h"

#include <csignal>

#include "hasa/base/file.h"
#include "hasa/base/stop_signal.h"
#include "hasa/base/testing.h"
#include "hasa/eval/query_sample.h"
#include "hasa/kg/synthetic.h"
#include "hasa/model/query_columns.h"

namespace hasa {
namespace {

/// Scores that a hash of the triple makes up, one query at a time; counts the queries it was asked.
class CountingScorer : public Scorer {
 public:
  explicit CountingScorer(std::int64_t entities) : entities_(entities) {}
  std::int64_t num_entities() const override { return entities_; }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return {.bytes_per_query = std::int64_t{1} << 40, .seconds_per_query = 1}; }
  torch::Tensor scores(std::span<const Query> queries) const override {
    torch::Tensor scores = torch::empty({std::ssize(queries), entities_});
    for (std::size_t i = 0; i < queries.size(); ++i) {
      for (std::int64_t e = 0; e < entities_; ++e)
        scores[static_cast<std::int64_t>(i)][e] =
            static_cast<float>((queries[i].given * 7 + queries[i].relation * 13 + e * 31) % 17);
    }
    asked += queries.size();
    if (asked == stop_after) std::raise(SIGTERM);
    return scores;
  }
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }

  mutable std::size_t asked = 0;
  std::size_t stop_after = 0;

 private:
  std::int64_t entities_;
};

class Resumed : public ::testing::Test {
 protected:
  static Graph graph() {
    SyntheticOptions options;
    options.entities = 30;
    options.relations = 2;
    options.triples = 120;
    options.texts = false;
    options.split.test = 0.1;
    return synthetic_graph(options);
  }
  std::vector<RankedQuery> rank(const CountingScorer& scorer, const QuerySample& sample, std::uint64_t stamp = 1) {
    RankJournal journal(dir_ / "ranks", stamp, queries_.size());
    return rank_resumably(scorer, queries_, places_of(sample, queries_.size()), known_, {}, journal);
  }
  static bool same(const RankedQuery& a, const RankedQuery& b) {
    return a.triple == b.triple && a.better == b.better && a.equal == b.equal && a.known_better == b.known_better &&
           a.known_equal == b.known_equal;
  }

  testing::TempDir dir_;
  Graph graph_ = graph();
  KnownAnswers known_ = KnownAnswers::of_all_splits(graph_);
  std::vector<Triple> queries_ = queries_of(graph_, Split::test);
};

TEST_F(Resumed, AnInterruptedRankingResumesToTheSameRanksAndScoresNothingTwice) {
  const CountingScorer whole(graph_.entities());
  const std::vector<RankedQuery> expected = rank_split(whole, graph_, known_, Split::test);
  ASSERT_GT(expected.size(), 10U);
  for (const std::size_t stop_after : {std::size_t{1}, expected.size() / 2, expected.size() - 1}) {
    std::filesystem::remove(dir_ / "ranks");
    CountingScorer stopped(graph_.entities());
    stopped.stop_after = stop_after;
    {
      const StopSignal held;  // the signal must not end the test
      EXPECT_ERROR(rank(stopped, {}), "keeps them: the same command resumes from there");
    }
    const CountingScorer rest(graph_.entities());
    const std::vector<RankedQuery> ranked = rank(rest, {});
    EXPECT_EQ(rest.asked, expected.size() - stop_after);
    EXPECT_TRUE(std::equal(ranked.begin(), ranked.end(), expected.begin(), expected.end(), same));
  }
}

TEST_F(Resumed, ALargerSampleResumesFromASmallerOne) {
  const CountingScorer scorer(graph_.entities());
  rank(scorer, {.queries = 5});
  EXPECT_EQ(scorer.asked, 5U);
  EXPECT_EQ(rank(scorer, {.queries = 9}).size(), 9U);
  EXPECT_EQ(scorer.asked, 9U);
}

TEST_F(Resumed, RanksOfAnotherModelAreNotTaken) {
  const CountingScorer scorer(graph_.entities());
  rank(scorer, {.queries = 5}, /*stamp=*/1);
  rank(scorer, {.queries = 5}, /*stamp=*/2);
  EXPECT_EQ(scorer.asked, 10U);
}

TEST_F(Resumed, APartialBlockOfAKilledProcessIsRankedAgain) {
  const CountingScorer scorer(graph_.entities());
  const std::vector<RankedQuery> expected = rank(scorer, {});
  const std::string bytes = read_file(dir_ / "ranks");
  write_file(dir_ / "ranks", bytes.substr(0, bytes.size() - 3));
  const std::vector<RankedQuery> ranked = rank(scorer, {});
  EXPECT_EQ(scorer.asked, expected.size() + 1);
  EXPECT_TRUE(std::equal(ranked.begin(), ranked.end(), expected.begin(), expected.end(), same));
}

TEST_F(Resumed, CountsBeyondWhatAFloatHoldsAreKeptExactly) {
  const RankedQuery far{{0, 0, 1}, 123'456'789'012, 16'777'217, 3, 33'554'433};
  const std::vector<std::size_t> place{2};
  {
    RankJournal journal(dir_ / "ranks", 1, 4);
    journal.add(place, {&far, 1});
  }
  const RankJournal journal(dir_ / "ranks", 1, 4);
  ASSERT_TRUE(journal.has(2));
  EXPECT_TRUE(same(journal.at(2, far.triple), far));
}

}  // namespace
}  // namespace hasa
