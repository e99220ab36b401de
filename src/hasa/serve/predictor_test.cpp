#include "hasa/serve/predictor.h"

#include <algorithm>
#include <map>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/serve/refusal.h"
#include "hasa/serve/run_for_tests.h"

namespace hasa {
namespace {

using testing::SmallBenchmark;
using testing::SmallRun;
using testing::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr RelationId kHypernym = 0, kPartOf = 1, kInverse = 2;  // and two relations

class PredictorTest : public ::testing::Test {
 protected:
  EntityId entity(const char* id) const { return *run_->state()->find_entity(id); }
  std::vector<Answer> answers(const Given& given, RelationId relation, const Wanted& wanted = {}) const {
    const Question question{given, relation, wanted};
    return predictor_.answers(*run_->state(), {&question, 1}).front();
  }
  std::vector<EntityId> entities(const std::vector<Answer>& answers) const {
    std::vector<EntityId> entities;
    for (const Answer& answer : answers) entities.push_back(answer.entity);
    return entities;
  }
  /// All scores of a question, straight from the model.
  std::vector<float> scores(EntityId given, RelationId relation) const {
    const Query query{given, relation};
    const torch::Tensor scores = run_->scorer().scores({&query, 1})[0].contiguous();
    return {scores.const_data_ptr<float>(), scores.const_data_ptr<float>() + scores.numel()};
  }
  void apply(const std::vector<Change>& changes) const { run_->live().apply(changes); }

  SmallRun small_;
  std::unique_ptr<ServedRun> run_ = small_.open(Journal::Access::write);
  Predictor predictor_{*run_};
};

TEST_F(PredictorTest, GivesAllEntitiesButTheGivenOneBestFirst) {
  const EntityId dog = entity("dog");
  const std::vector<float> expected = scores(dog, kHypernym);
  const std::vector<Answer> found = answers(dog, kHypernym);
  ASSERT_EQ(found.size(), expected.size() - 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NE(found[i].entity, dog);
    EXPECT_FLOAT_EQ(found[i].score, expected[static_cast<std::size_t>(found[i].entity)]);
    EXPECT_GE(found[std::max<std::size_t>(i, 1) - 1].score, found[i].score);
    const bool is_canine = found[i].entity == entity("canine");
    EXPECT_EQ(found[i].known, is_canine ? std::optional(Known::train) : std::nullopt);
  }
  EXPECT_EQ(entities(answers(dog, kHypernym, {.top = 2})), (std::vector{found[0].entity, found[1].entity}));
}

TEST_F(PredictorTest, TellsWhichSplitALinkIsKnownFromInBothDirections) {
  std::map<EntityId, std::optional<Known>> of_fox, of_animal;
  for (const Answer& answer : answers(entity("fox"), kHypernym)) of_fox[answer.entity] = answer.known;
  for (const Answer& answer : answers(entity("animal"), kHypernym + kInverse)) of_animal[answer.entity] = answer.known;
  EXPECT_EQ(of_fox[entity("canine")], Known::train);
  EXPECT_EQ(of_fox[entity("animal")], Known::test);
  EXPECT_EQ(of_fox[entity("paw")], std::nullopt);
  EXPECT_EQ(of_animal[entity("canine")], Known::train);
  EXPECT_EQ(of_animal[entity("fox")], Known::test);
}

TEST_F(PredictorTest, LeavesOutWhatIsKnownWhereOnlyTheNewIsWanted) {
  const auto all = entities(answers(entity("fox"), kHypernym));
  auto expected = all;
  std::erase(expected, entity("canine"));
  std::erase(expected, entity("animal"));
  EXPECT_EQ(entities(answers(entity("fox"), kHypernym, {.new_only = true})), expected);
  apply({AddTriple{"fox", "hypernym", "paw"}});
  std::erase(expected, entity("paw"));
  EXPECT_EQ(entities(answers(entity("fox"), kHypernym, {.new_only = true})), expected);
  apply({RemoveTriple{"fox", "hypernym", "animal"}});
  EXPECT_TRUE(std::ranges::count(entities(answers(entity("fox"), kHypernym, {.new_only = true})), entity("animal")));
}

TEST_F(PredictorTest, TakesAnswersFromASetOrFromThoseThatOccurWithTheRelation) {
  const auto all = entities(answers(entity("paw"), kPartOf));
  std::vector<EntityId> expected;
  const auto chosen = std::make_shared<const std::vector<EntityId>>(std::vector{entity("animal"), entity("fox")});
  const auto is_chosen = [&](EntityId e) { return std::ranges::count(*chosen, e) > 0; };
  std::ranges::copy_if(all, std::back_inserter(expected), is_chosen);
  EXPECT_EQ(entities(answers(entity("paw"), kPartOf, {.among = chosen})), expected);
  EXPECT_THAT(entities(answers(entity("paw"), kPartOf, {.top = 1, .among = chosen})), ElementsAre(expected[0]));

  expected.clear();  // dog and fox have parts
  const auto has_parts = [&](EntityId e) { return e == entity("dog") || e == entity("fox"); };
  std::ranges::copy_if(all, std::back_inserter(expected), has_parts);
  EXPECT_EQ(entities(answers(entity("paw"), kPartOf, {.occurs_with_relation = true})), expected);
  EXPECT_THAT(answers(entity("paw"), kPartOf, {.new_only = true, .occurs_with_relation = true}), IsEmpty());
  apply({AddTriple{"paw", "part_of", "animal"}, AddTriple{"animal", "part_of", "canine"}});
  EXPECT_THAT(entities(answers(entity("paw"), kPartOf, {.new_only = true, .occurs_with_relation = true})),
              ElementsAre(entity("canine")));
}

TEST_F(PredictorTest, AnswersABatchAsItAnswersEachQuestion) {
  std::vector<Question> questions;
  for (EntityId e = 0; e < run_->graph().entities(); ++e) {
    for (RelationId r = 0; r < 4; ++r) {
      questions.push_back({e, r, {.top = 1 + r, .new_only = r % 2 == 0, .occurs_with_relation = r == 3}});
    }
  }
  questions.push_back({UnseenEntity::of_text("wolf: a wild canine"), kHypernym});
  const auto together = predictor_.answers(*run_->state(), questions);
  ASSERT_EQ(together.size(), questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto alone = answers(questions[i].given, questions[i].relation, questions[i].wanted);
    EXPECT_EQ(entities(together[i]), entities(alone)) << i;
  }
  EXPECT_THAT(predictor_.answers(*run_->state(), {}), IsEmpty());
}

TEST_F(PredictorTest, AnswersForATextAsForTheEntityThatHasIt) {
  const EntityId dog = entity("dog");
  const UnseenEntity words = run_->state()->as_unseen(dog);
  EXPECT_EQ(words.name, "Dog");
  EXPECT_THAT(words.facts, ::testing::SizeIs(2));
  const std::vector<float> expected = scores(dog, kHypernym);
  for (const Answer& answer : answers(words, kHypernym)) {
    EXPECT_NEAR(answer.score, expected[static_cast<std::size_t>(answer.entity)], 1e-4);
    EXPECT_EQ(answer.known, std::nullopt);
  }
  EXPECT_EQ(answers(words, kHypernym).size(), expected.size());  // itself among them
}

TEST_F(PredictorTest, LetsAnEntityAnswerAsSoonAsItIsPut) {
  apply({PutEntity{"wolf", "Wolf", "a wild canine"}, AddTriple{"wolf", "hypernym", "canine"}});
  const EntityId wolf = entity("wolf");
  const auto of_canine = answers(entity("canine"), kHypernym + kInverse);
  const auto found = std::ranges::find(of_canine, wolf, &Answer::entity);
  ASSERT_NE(found, of_canine.end());
  EXPECT_EQ(found->known, Known::live);

  // Its score is that of its text: the query's vector times the reader's.
  const UnseenEntity words = run_->state()->as_unseen(wolf);
  EXPECT_THAT(words.facts, ElementsAre(UnseenEntity::Fact{kHypernym, entity("canine")}));
  const Query query{entity("canine"), kHypernym + kInverse};
  const torch::Tensor asked = run_->vectors()->query_vectors({&query, 1})[0];
  EXPECT_NEAR(found->score, asked.dot(run_->reader().entity_vectors({&words, 1})[0]).item<float>(), 1e-5);

  // And it can be asked about.
  const auto by_number = answers(wolf, kPartOf), by_words = answers(words, kPartOf);
  EXPECT_EQ(by_number.size() + 1, by_words.size());
  EXPECT_FALSE(std::ranges::count(entities(by_number), wolf));
  apply({DeleteEntity{"wolf"}});
  EXPECT_FALSE(std::ranges::count(entities(answers(entity("canine"), kHypernym + kInverse)), wolf));
  EXPECT_ERROR(answers(wolf, kPartOf), "was deleted");
}

TEST_F(PredictorTest, LetsAnEditedEntityAnswerByItsNewText) {
  const EntityId dog = entity("dog");
  const float before = scores(entity("paw"), kPartOf)[static_cast<std::size_t>(dog)];
  apply({PutEntity{"dog", "Submarine", "a vessel"}});
  const auto found = answers(entity("paw"), kPartOf);
  EXPECT_EQ(std::ranges::count(entities(found), dog), 1);
  EXPECT_NE(std::ranges::find(found, dog, &Answer::entity)->score, before);
}

TEST_F(PredictorTest, FindsTheRelationsBetweenTwoEntities) {
  const RelationQuestion question{entity("dog"), entity("canine")};
  const auto found = predictor_.relations(*run_->state(), {&question, 1}).front();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_GE(found[0].score, found[1].score);
  for (const RelationAnswer& answer : found) {
    const std::vector<float> expected = scores(entity("dog"), answer.relation);
    EXPECT_NEAR(answer.score, expected[static_cast<std::size_t>(entity("canine"))], 1e-5);
    EXPECT_EQ(answer.known, answer.relation == kHypernym ? std::optional(Known::train) : std::nullopt);
  }
  const RelationQuestion new_one{entity("dog"), UnseenEntity::of_text("wolf"), 1, true};
  EXPECT_EQ(predictor_.relations(*run_->state(), {&new_one, 1}).front().size(), 1U);
}

TEST_F(PredictorTest, JudgesTriplesOfEntitiesAndTexts) {
  apply({PutEntity{"wolf", "Wolf", "a wild canine"}});
  const UnseenEntity words{"Wolf", "a wild canine", {}};
  const std::vector<Statement> statements = {{entity("dog"), kHypernym, entity("canine")},
                                             {entity("paw"), kPartOf, entity("wolf")},
                                             {entity("paw"), kPartOf, words},
                                             {words, kHypernym, entity("fox")}};
  const auto judged = predictor_.judgements(*run_->state(), statements);
  EXPECT_NEAR(judged[0].score, scores(entity("dog"), kHypernym)[static_cast<std::size_t>(entity("canine"))], 1e-5);
  EXPECT_EQ(judged[0].known, Known::train);
  EXPECT_NEAR(judged[1].score, judged[2].score, 1e-5);
  EXPECT_EQ(judged[2].known, std::nullopt);
  const auto of_words = answers(words, kHypernym);
  EXPECT_NEAR(judged[3].score, std::ranges::find(of_words, entity("fox"), &Answer::entity)->score, 1e-5);
  const auto alone = predictor_.judgements(*run_->state(), std::span(statements).first(1));
  EXPECT_NEAR(alone[0].score, judged[0].score, 1e-5);
}

TEST_F(PredictorTest, RanksATripleAmongWhatIsNotKnownToBeTrue) {
  // Of five entities: fox is asked about, and canine is another known answer.
  const Standing standing = predictor_.standing(*run_->state(), entity("fox"), kHypernym, entity("animal"));
  EXPECT_EQ(standing.candidates, 3);
  EXPECT_EQ(standing.answer.known, Known::test);
  const std::vector<float> all = scores(entity("fox"), kHypernym);
  const float score = all[static_cast<std::size_t>(entity("animal"))];
  EXPECT_FLOAT_EQ(standing.answer.score, score);
  const auto rivals = {entity("dog"), entity("paw")};
  const auto is_above = [&](EntityId e) { return all[static_cast<std::size_t>(e)] > score; };
  EXPECT_EQ(standing.rank, 1 + std::ranges::count_if(rivals, is_above));
  EXPECT_EQ(predictor_.standing(*run_->state(), entity("fox"), kHypernym, entity("paw")).candidates, 2);
}

TEST_F(PredictorTest, FindsLikelyLinksInPartsThatCanBeTakenUpAgain) {
  const auto state = run_->state();
  const LinkSearch search{.per_question = 3, .occurs_with_relation = false};
  EXPECT_EQ(predictor_.link_questions(*state, search), 4);  // dog, canine and fox have a hypernym; paw is part of one
  const auto found = [&](std::int64_t from, std::int64_t to) {
    std::vector<Triple> links;
    predictor_.likely_links(*state, search, from, to, [&](std::span<const LikelyLink> part, std::int64_t next) {
      EXPECT_LE(next, to);
      for (const LikelyLink& link : part) links.push_back(link.triple);
      return true;
    });
    return links;
  };
  const std::vector<Triple> all = found(0, 4);
  for (const Triple& t : all) {
    EXPECT_FALSE(state->known(t.head, t.relation, t.tail).has_value());
    EXPECT_NE(t.head, t.tail);
  }
  EXPECT_EQ(std::set<Triple>(all.begin(), all.end()).size(), all.size());
  std::vector<Triple> in_two = found(0, 2);
  for (const Triple& link : found(2, 4)) in_two.push_back(link);
  EXPECT_EQ(in_two, all);
  const LinkSearch of_one{.relation = kPartOf};
  EXPECT_EQ(predictor_.link_questions(*state, of_one), 1);
}

TEST_F(PredictorTest, RefusesWhatIsNotThere) {
  EXPECT_ERROR(answers(99, kHypernym), "there is no entity 99: there are 5");
  EXPECT_ERROR(answers(0, 4), "there is no directed relation 4: there are 4");
}

TEST(PredictorWithoutText, SaysThatTheRunReadsNone) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  graph.save(dir / "graph");
  const hasa::Run made = hasa::Run::create(
      dir / "run", "graph: " + (dir / "graph").string() + "\ndevice: cpu\nmodel: {type: transe, dim: 8}\n", graph);
  const TableModelConfig config = std::get<TransEFamily>(config_of(made).family).model;
  const TableModel model(config, graph.entities(), graph.relations(), torch::kCPU);
  save_tensors(made / hasa::Run::kBest, model.parameters(), {});
  const auto run = ServedRun::open(dir / "run", {.live = Journal::Access::write});
  const Predictor predictor(*run);
  const Question by_text{UnseenEntity::of_text("wolf"), kHypernym}, by_entity{EntityId{0}, kHypernym};
  try {
    predictor.answers(*run->state(), {&by_text, 1});
    ADD_FAILURE();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.reason(), Refusal::Reason::unreadable);
    EXPECT_THAT(refusal.what(), ::testing::HasSubstr("reads no texts (TransE"));
  }
  EXPECT_ERROR(run->live().apply(std::vector<Change>{PutEntity{"wolf", "Wolf", ""}}), "takes no entities");
  run->live().apply(std::vector<Change>{AddTriple{"dog", "hypernym", "animal"}});
  EXPECT_EQ(predictor.answers(*run->state(), {&by_entity, 1}).front().size(), 4U);
  const auto dog = *run->graph().find_entity("dog"), animal = *run->graph().find_entity("animal");
  EXPECT_EQ(predictor.standing(*run->state(), dog, kHypernym, animal).answer.known, Known::live);
}

}  // namespace
}  // namespace hasa
