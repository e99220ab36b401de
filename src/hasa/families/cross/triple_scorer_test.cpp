#include "hasa/families/cross/triple_scorer.h"

#include "hasa/base/testing.h"
#include "hasa/families/cross/pooled_head.h"
#include "hasa/families/cross/triples_for_tests.h"
#include "hasa/families/lass/span_head.h"

namespace hasa {
namespace {

class TripleScorerTest : public ::testing::Test, protected testing::TempDir, protected testing::TriplesOfWords {
 protected:
  TripleScorerTest() : TriplesOfWords(path()) {}

  /// KG-BERT's and LASS's.
  std::vector<TripleModel> models() const {
    at::manual_seed(5);
    return {{encoder(), std::make_shared<PooledHead>(16, Pooling::cls, 0.1)},
            {encoder(), std::make_shared<PooledHead>(16, Pooling::pooler, 0.1)},
            {encoder(), std::make_shared<SpanHead>(LassModelConfig())}};
  }
};

TEST_F(TripleScorerTest, APackedScoreIsThatOfTheTripleAlone) {
  const TextInputs texts = inputs();
  for (const TripleModel& model : models()) {
    const TripleScorer scorer(model, texts, graph_.relations());
    const std::vector<Query> queries = {{2, 1}, {0, 0}, {4, 2}, {1, 3}};
    const torch::Tensor scores = scorer.scores(queries);
    ASSERT_EQ(scores.sizes(), (std::vector<std::int64_t>{4, 6}));
    for (std::size_t q = 0; q < queries.size(); ++q) {
      for (EntityId e = 0; e < graph_.entities(); ++e) {
        // Relations from 2 on are the inverses of 0 and 1: the candidate is the head.
        const RelationId r = queries[q].relation;
        const Triple triple = r < 2 ? Triple{queries[q].given, r, e} : Triple{e, r - 2, queries[q].given};
        const torch::NoGradGuard no_gradients;
        const float alone = model.logits(read(texts, triple), /*training=*/false).item<float>();
        EXPECT_NEAR(scores[static_cast<std::int64_t>(q)][e].item<float>(), alone, 1e-4 * (1 + std::abs(alone)));
      }
    }
  }
}

TEST_F(TripleScorerTest, ScoresAreTheSameHoweverManyQueriesAreAskedTogether) {
  const TripleScorer scorer(models().front(), inputs(), graph_.relations());
  const std::vector<Query> queries = {{2, 1}, {0, 0}, {4, 2}};
  const torch::Tensor together = scorer.scores(queries);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    EXPECT_TRUE(scorer.scores(std::span(queries).subspan(q, 1))[0].equal(together[static_cast<std::int64_t>(q)]));
  }
}

TEST_F(TripleScorerTest, ScoresOfChosenOnesAreThoseOfAll) {
  const TripleScorer scorer(models().front(), inputs(), graph_.relations());
  const std::vector<Query> queries = {{2, 1}, {5, 3}};
  const torch::Tensor all = scorer.scores(queries);
  for (const torch::Tensor& chosen :
       {torch::tensor({{4, 0, 3}, {1, 1, 5}}, torch::kInt64), torch::tensor({{2}, {0}}, torch::kInt64)}) {
    EXPECT_TRUE(torch::allclose(scorer.scores_of(queries, chosen), all.gather(1, chosen), 1e-4, 1e-4));
  }
}

TEST_F(TripleScorerTest, KnowsHowManyTokensAQueryTakes) {
  const TripleScorer scorer(models().front(), inputs(), graph_.relations());
  // Every query there is: the mean of what is read is what is stated.
  std::vector<TextRequest> requests;
  for (RelationId r = 0; r < graph_.relations(); ++r) {
    for (EntityId h = 0; h < graph_.entities(); ++h) {
      for (EntityId t = 0; t < graph_.entities(); ++t) requests.push_back(TextRequest::of_triple({h, r, t}));
    }
  }
  const auto tokens = static_cast<double>(inputs().for_evaluation(requests).ids.size());
  const ScoringCost cost = scorer.cost();
  EXPECT_DOUBLE_EQ(cost.tokens_per_query, tokens / (graph_.relations() * graph_.entities()));
  EXPECT_GT(cost.seconds_per_query, 0);
}

TEST_F(TripleScorerTest, RefusesTriplesThatTheLanguageModelCannotRead) {
  text_.max_tokens = 80;  // the tiny model reads 128 tokens: 2 * 78 + 24 + 4
  EXPECT_ERROR(inputs(),
               "makes triples of up to 184 tokens, but bert reads at most 128\nset text.max_tokens to at most 52");
  text_.max_tokens = 52;
  EXPECT_EQ(inputs().longest_triple(), 128U);
}

}  // namespace
}  // namespace hasa
