#include "hasa/eval/top_answers.h"

#include <algorithm>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/model/query_columns.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

/// Fourteen entities by the first letters, one relation. (a, r, ?) has an answer in training and two in each other
/// split.
Graph graph() {
  return parse_benchmark({"small",
                          {"train.txt", "a\tr\tb\nc\tr\td\ne\tr\tf\ng\tr\th\ni\tr\tj\nk\tr\tl\nm\tr\tn\n"},
                          {"valid.txt", "a\tr\tc\na\tr\td\n"},
                          {"test.txt", "a\tr\te\na\tr\tf\n"},
                          {},
                          {}});
}

/// The score of an entity is its number, whatever is asked; two of them tie.
class ByNumber : public Scorer {
 public:
  explicit ByNumber(const Graph& graph) : entities_(graph.entities()) {}
  std::int64_t num_entities() const override { return entities_; }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return {}; }
  torch::Tensor scores(std::span<const Query> queries) const override {
    torch::Tensor row = torch::arange(entities_, torch::kFloat32);
    if (entities_ > 13) row[13] = 12;
    return row.repeat({static_cast<std::int64_t>(queries.size()), 1});
  }
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }

 private:
  std::int64_t entities_;
};

TopAnswers of_a(Split split) {
  const Graph g = graph();
  const ByNumber scorer(g);
  TopAnswersOf gathered(g, split, torch::kCPU);
  const auto queries = with_inverses(g.triples(split), g.relations());
  for_each_scored(scorer, queries, {}, [&](const ScoredQueries& part) { gathered.add(part); });
  const auto all = gathered.take();
  EXPECT_EQ(all.size(), 3U);  // (a, r, ?) once, and one from each tail
  const auto found = std::find_if(all.begin(), all.end(), [](const TopAnswers& t) { return t.query == Query{0, 0}; });
  return found == all.end() ? TopAnswers{} : *found;
}

TEST(TopAnswers, LeaveOutWhatWasKnownBeforeTheSplitAndMarkWhatTheSplitSays) {
  const Graph g = graph();
  ASSERT_EQ(g.entity_id(5), "f");
  const TopAnswers test = of_a(Split::test);
  // Without b, c and d eleven are left, a among them, and the least of those falls out.
  EXPECT_THAT(test.entities, ElementsAre(12, 13, 11, 10, 9, 8, 7, 6, 5, 4));
  EXPECT_THAT(test.is_true, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 1));
  EXPECT_EQ(test.scores[8], 5);
  const TopAnswers valid = of_a(Split::valid);
  EXPECT_THAT(valid.entities, ElementsAre(12, 13, 11, 10, 9, 8, 7, 6, 5, 4));
  EXPECT_THAT(valid.is_true, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));  // c and d are below the ten
}

TEST(TopAnswers, AreAsManyAsThereAreCandidates) {
  const Graph g = parse_benchmark(
      {"tiny", {"train.txt", "a\tr\tb\nb\tr\tc\n"}, {"valid.txt", "a\tr\tc\n"}, {"test.txt", "c\tr\ta\n"}, {}, {}});
  const ByNumber scorer(g);
  TopAnswersOf gathered(g, Split::valid, torch::kCPU);
  const std::vector<Triple> queries(g.triples(Split::valid).begin(), g.triples(Split::valid).end());
  for_each_scored(scorer, queries, {}, [&](const ScoredQueries& part) { gathered.add(part); });
  EXPECT_THAT(gathered.take().at(0).entities, ElementsAre(2, 0));
}

TEST(DistinctQueries, AreEachThereOnceAndFromAllOverTheSplit) {
  const Graph g = graph();
  EXPECT_EQ(distinct_queries(g, Split::test, 100).size(), 3U);
  EXPECT_EQ(distinct_queries(g, Split::test, 2).size(), 2U);
}

}  // namespace
}  // namespace hasa
