#include "hasa/serve/plain_predictor.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/model/text_similarity.h"

namespace hasa {
namespace {

TEST(PlainPredictor, GivesTheBestFirstAndTellsWhichLinksAreKnown) {
  const Graph g = parse_benchmark({"small",
                                   {"train.txt", "a\tr\tb\nb\tr\tc\nc\tr\td\n"},
                                   {"valid.txt", "a\tr\tc\n"},
                                   {"test.txt", "b\tr\td\n"},
                                   {},
                                   {}});
  // One column: the score of an entity for head a (1.0) is its own value; c and d tie.
  const torch::Tensor values = torch::tensor({{1.0F}, {3.0F}, {2.0F}, {2.0F}});
  const PlainPredictor predictor(g, std::make_unique<TextSimilarity>(values));
  const auto answers = predictor.answers(*g.find_entity("a"), 0, 10);
  ASSERT_EQ(answers.size(), 3U);  // no entity bears r to itself, so a is no answer
  EXPECT_EQ(g.entity_id(answers[0].entity), "b");
  EXPECT_EQ(answers[0].known, Split::train);
  EXPECT_EQ(g.entity_id(answers[1].entity), "c");
  EXPECT_EQ(answers[1].known, Split::valid);
  EXPECT_EQ(g.entity_id(answers[2].entity), "d");
  EXPECT_EQ(answers[2].known, std::nullopt);
  EXPECT_FLOAT_EQ(answers[2].score, 2.0F);
  EXPECT_EQ(predictor.answers(0, 0, 2).size(), 2U);
}

TEST(PlainPredictor, TellsWhereATripleStandsAmongTheAnswers) {
  const Graph g = parse_benchmark({"small",
                                   {"train.txt", "a\tr\tb\nb\tr\tc\nc\tr\td\nd\tr\te\n"},
                                   {"valid.txt", "a\tr\tc\n"},
                                   {"test.txt", "b\tr\td\n"},
                                   {},
                                   {}});
  const torch::Tensor values = torch::tensor({{1.0F}, {3.0F}, {2.0F}, {2.0F}, {-1.0F}});
  const PlainPredictor predictor(g, std::make_unique<TextSimilarity>(values));
  const EntityId a = *g.find_entity("a");
  // Before e stand b and c, which are known, and d; a itself is no candidate.
  const PlainStanding last = predictor.standing(a, 0, *g.find_entity("e"));
  EXPECT_EQ(last.rank, 2);
  EXPECT_EQ(last.candidates, 2);
  EXPECT_FLOAT_EQ(last.answer.score, -1);
  EXPECT_EQ(last.answer.known, std::nullopt);
  // c ties with d, and b, which scores higher, is known.
  const PlainStanding known = predictor.standing(a, 0, *g.find_entity("c"));
  EXPECT_EQ(known.rank, 1);
  EXPECT_EQ(known.candidates, 3);
  EXPECT_EQ(known.answer.known, Split::valid);
}

TEST(PlainPredictor, NamesTheFirstSplitOfALinkAskedFromItsTail) {
  const Graph g = parse_benchmark({"small",
                                   {"train.txt", "a\tr\tc\na\tq\tb\n"},
                                   {"valid.txt", "b\tr\tc\n"},
                                   {"test.txt", "b\tr\tc\nb\tq\tc\n"},
                                   {},
                                   {}});
  const PlainPredictor predictor(g, std::make_unique<TextSimilarity>(torch::eye(3)));
  const auto answers = predictor.answers(*g.find_entity("c"), inverse(*g.find_relation("r"), g.relations()), 10);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(g.entity_id(answers[0].entity), "a");
  EXPECT_EQ(answers[0].known, Split::train);
  EXPECT_EQ(g.entity_id(answers[1].entity), "b");
  EXPECT_EQ(answers[1].known, Split::valid);
}

TEST(PlainPredictor, OffersTheHeadItselfWhereTrainingHasALoop) {
  const Graph g = parse_benchmark(
      {"small", {"train.txt", "a\tr\tb\nb\tr\tb\n"}, {"valid.txt", "b\tr\ta\n"}, {"test.txt", "b\tr\ta\n"}, {}, {}});
  const PlainPredictor predictor(g, std::make_unique<TextSimilarity>(torch::eye(2)));
  EXPECT_EQ(predictor.answers(0, 0, 10).front().entity, 0);
}

}  // namespace
}  // namespace hasa
