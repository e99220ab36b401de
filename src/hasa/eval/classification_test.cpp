#include "hasa/eval/classification.h"

#include <limits>

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

LabelledTriple judged(RelationId relation, bool truth, double score, std::uint32_t fact = 0) {
  return {.triple = {0, relation, 1}, .truth = truth, .fact = fact, .score = score};
}

TEST(Classification, ChoosesTheThresholdThatGetsMostOfARelationRight) {
  // Relation 0: 1 false, 2 true, 3 false, 4 true, 5 true: above 3 one true is lost, above 1 one false is let in: the
  // lower of the two. Relation 1: all false, so none is taken; relation 2: all true, so all are; relation 3 has none.
  const std::vector<LabelledTriple> validation = {judged(0, false, 1), judged(0, true, 2),  judged(0, false, 3),
                                                judged(0, true, 4),  judged(0, true, 5),  judged(1, false, 2),
                                                judged(1, false, 9), judged(2, true, -3), judged(2, true, 8)};
  const std::vector<Threshold> thresholds = choose_thresholds(validation, 4);
  ASSERT_EQ(thresholds.size(), 4U);
  EXPECT_EQ(thresholds[0].value, 1.5);
  EXPECT_EQ(thresholds[0].triples, 5);
  EXPECT_EQ(thresholds[1].value, kInfinity);
  EXPECT_EQ(thresholds[2].value, -kInfinity);
  // Of all nine, 4 to 9 taken and -3 to 3 refused gets six right, and nothing more.
  EXPECT_EQ(thresholds[3].value, 3.5);
  EXPECT_EQ(thresholds[3].triples, 0);
}

TEST(Classification, NeverPutsAThresholdBetweenEqualScores) {
  const std::vector<LabelledTriple> tied = {judged(0, false, 1), judged(0, true, 1), judged(0, true, 1),
                                          judged(0, false, 0)};
  // Among the ties nothing can be told: 0.5 gets three of four right.
  EXPECT_EQ(choose_thresholds(tied, 1)[0].value, 0.5);
}

TEST(Classification, CountsWhatIsAcceptedAndRefusedForAllAndForEachRelation) {
  const std::vector<Threshold> thresholds = {{1.5, 4}, {-1, 4}};
  const std::vector<LabelledTriple> triples = {judged(0, true, 1.5, 0),  // at the threshold: true
                                             judged(0, false, 1, 0),  judged(0, true, 1, 1),  judged(0, false, 2, 1),
                                             judged(0, true, 7, 2),   judged(0, false, 0, 2), judged(1, true, 0, 3),
                                             judged(1, false, 0, 3)};
  const Classification made = classify(triples, thresholds);
  EXPECT_EQ(made.all.triples, 8);
  EXPECT_DOUBLE_EQ(made.all.accuracy, 5.0 / 8);
  EXPECT_DOUBLE_EQ(made.all.true_accepted, 3.0 / 4);
  EXPECT_DOUBLE_EQ(made.all.false_refused, 2.0 / 4);
  ASSERT_EQ(made.relations.size(), 2U);
  EXPECT_EQ(made.relations[0].relation, 0);
  EXPECT_DOUBLE_EQ(made.relations[0].accuracy.accuracy, 4.0 / 6);
  EXPECT_DOUBLE_EQ(made.relations[1].accuracy.accuracy, 1.0 / 2);
  // Each fact of relation 1 has one right of two, whatever is drawn; of relation 0 facts have 2, 0 and 2 of 2.
  EXPECT_DOUBLE_EQ(made.relations[1].accuracy.interval.low, 0.5);
  EXPECT_DOUBLE_EQ(made.relations[1].accuracy.interval.high, 0.5);
  EXPECT_DOUBLE_EQ(made.relations[0].accuracy.interval.low, 0);
  EXPECT_DOUBLE_EQ(made.relations[0].accuracy.interval.high, 1);
}

Graph graph() {
  SyntheticOptions options;
  options.entities = 40;
  options.relations = 3;
  options.triples = 300;
  options.texts = false;
  options.split.valid = options.split.test = 0.2;
  return synthetic_graph(options);
}

TEST(Classification, MakesOneFalseTripleOfEachThatNoSplitHas) {
  const Graph g = graph();
  const KnownAnswers known = KnownAnswers::of_all_splits(g);
  for (const FalseEnds ends : {FalseEnds::any, FalseEnds::seen}) {
    const std::vector<LabelledTriple> labelled = labelled_triples(g, Split::test, known, {.ends = ends});
    ASSERT_EQ(labelled.size(), 2 * g.triples(Split::test).size());
    for (std::size_t i = 0; i < labelled.size(); i += 2) {
      const Triple &real = labelled[i].triple, &made = labelled[i + 1].triple;
      EXPECT_EQ(real, g.triples(Split::test)[i / 2]);
      EXPECT_TRUE(labelled[i].truth && !labelled[i + 1].truth);
      EXPECT_EQ(labelled[i].fact, labelled[i + 1].fact);
      EXPECT_FALSE(known.contains(made.head, made.relation, made.tail));
      EXPECT_EQ((made.head != real.head) + (made.tail != real.tail), 1);
      EXPECT_EQ(made.relation, real.relation);
    }
  }
}

TEST(Classification, MakesTheSameFalseTriplesForOneSeedAndOthersForAnother) {
  const Graph g = graph();
  const KnownAnswers known = KnownAnswers::of_all_splits(g);
  const auto made = [&](std::uint64_t seed) {
    std::vector<Triple> triples;
    for (const LabelledTriple& each : labelled_triples(g, Split::valid, known, {.seed = seed}))
      triples.push_back(each.triple);
    return triples;
  };
  EXPECT_EQ(made(1), made(1));
  EXPECT_NE(made(1), made(2));
}

/// (h, r, t) scores 100 r + t as (h, r, ?) asks; as (?, r, t) asks, r is below 3 + 3.
class NumberScorer : public Scorer {
 public:
  std::int64_t num_entities() const override { return 40; }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return {}; }
  torch::Tensor scores(std::span<const Query> queries) const override {
    torch::Tensor rows = torch::arange(40, torch::kFloat32).repeat({std::ssize(queries), 1});
    for (std::size_t i = 0; i < queries.size(); ++i) rows[static_cast<std::int64_t>(i)] += 100 * queries[i].relation;
    return rows;
  }
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }
};

TEST(Classification, ScoresATripleByTheMeanOfItsTwoQuestions) {
  std::vector<LabelledTriple> triples = {{.triple = {4, 1, 9}}, {.triple = {7, 0, 0}}};
  score_triples(NumberScorer(), /*relations=*/3, triples);
  EXPECT_DOUBLE_EQ(triples[0].score, (109 + 404) / 2.0);
  EXPECT_DOUBLE_EQ(triples[1].score, (0 + 307) / 2.0);
}

}  // namespace
}  // namespace hasa
