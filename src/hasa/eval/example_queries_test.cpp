#include "hasa/eval/example_queries.h"

#include <set>

#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/model/text_similarity.h"

namespace hasa {
namespace {

std::vector<RankedQuery> ranked(const std::vector<std::int64_t>& better, RelationId relations = 1) {
  std::vector<RankedQuery> queries;
  for (std::size_t i = 0; i < better.size(); ++i)
    queries.push_back({{0, static_cast<RelationId>(i % relations), 0}, better[i], 0, 0, 0});
  return queries;
}

std::vector<std::size_t> of_kind(const std::vector<ChosenQuery>& chosen, ExampleKind kind) {
  std::vector<std::size_t> indices;
  for (const ChosenQuery& one : chosen) {
    if (one.kind == kind) indices.push_back(one.index);
  }
  return indices;
}

TEST(ChosenExamples, AreFromTheTopTheMiddleAndTheEnd) {
  std::vector<std::int64_t> better(90);
  for (std::size_t i = 0; i < better.size(); ++i) better[i] = static_cast<std::int64_t>((i * 37) % 90);  // each once
  const std::vector<RankedQuery> queries = ranked(better, 90);
  const auto chosen = choose_examples(queries, 3);
  const auto ranks = [&](ExampleKind kind) {
    std::multiset<double> all;
    for (const std::size_t index : of_kind(chosen, kind)) all.insert(queries[index].realistic());
    return all;
  };
  EXPECT_EQ(ranks(ExampleKind::best), (std::multiset<double>{1, 2, 3}));
  EXPECT_EQ(ranks(ExampleKind::worst), (std::multiset<double>{88, 89, 90}));
  for (const double rank : ranks(ExampleKind::typical)) EXPECT_NEAR(rank, 45.5, 5);
}

TEST(ChosenExamples, OfEqualRankComeFromAllOverTheSplit) {
  const auto best = of_kind(choose_examples(ranked(std::vector<std::int64_t>(300, 0)), 4), ExampleKind::best);
  EXPECT_EQ(best, (std::vector<std::size_t>{0, 25, 50, 75}));  // over a third, the share of each kind
}

TEST(ChosenExamples, OfTheWorstAreNotAllOfOneRelation) {
  std::vector<std::int64_t> better(60, 1);
  for (std::size_t i = 1; i < better.size(); i += 2) better[i] = 100 + static_cast<std::int64_t>(i);
  EXPECT_EQ(of_kind(choose_examples(ranked(better, 2), 5), ExampleKind::worst).size(), 2U);  // the end is all of one
}

TEST(ChosenExamples, OfFewQueriesAreFewAndNeverTwiceTheSame) {
  EXPECT_TRUE(choose_examples(ranked({}), 5).empty());
  EXPECT_TRUE(choose_examples(ranked({1, 2}), 5).empty());
  for (const std::size_t n : {3U, 4U, 7U, 10U, 15U, 16U, 31U}) {
    std::set<std::size_t> seen;
    for (const ChosenQuery& one : choose_examples(ranked(std::vector<std::int64_t>(n, 2), 7), 5))
      EXPECT_TRUE(seen.insert(one.index).second) << n << " queries";
    EXPECT_FALSE(seen.empty());
  }
}

TEST(ExampleQueries, NameWhatTheModelPutFirstWithoutOtherKnownAnswers) {
  const Graph graph = parse_benchmark({"small",
                                       {"train.txt", "a\tr\tb\nc\ts\td\n"},
                                       {"valid.txt", "a\tr\tc\n"},
                                       {"test.txt", "a\tr\td\nb\tr\tc\n"},
                                       {},
                                       {}});
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  // Vectors of a, b, c, d: for a, b comes first, then c, d and a; b and c are known answers.
  const TextSimilarity scorer(torch::tensor({{1.0F, 0.0F}, {3.0F, 0.5F}, {2.0F, 1.0F}, {1.5F, 2.0F}}));
  const std::vector<RankedQuery> queries = rank_split(scorer, graph, known, Split::test);
  const std::vector<ExampleQuery> examples = example_queries(scorer, graph, known, queries);
  ASSERT_FALSE(examples.empty());
  for (const ExampleQuery& example : examples) {
    ASSERT_FALSE(example.predicted.empty());
    // With no ties, the answer comes first exactly where its rank is 1.
    EXPECT_EQ(example.predicted[0] == example.answer, example.rank == 1) << example.asked;
    if (example.asked == "(a, r, ?)") {
      EXPECT_EQ(example.answer, "d");
      for (const std::string& name : example.predicted) EXPECT_TRUE(name == "d" || name == "a") << name;
    }
  }
}

}  // namespace
}  // namespace hasa
