#include "hasa/serve/name_resolver.h"

#include "hasa/base/testing.h"
#include "hasa/serve/run_for_tests.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SmallRun;

class NameResolverTest : public ::testing::Test {
 protected:
  EntityId id(const char* entity) const { return *state_->find_entity(entity); }
  AskedQuestion asked(AskedEnd head, std::optional<std::string> relation, AskedEnd tail) const {
    return {.head = std::move(head), .tail = std::move(tail), .relation = std::move(relation), .where = "queries[1]"};
  }
  std::string problem_of(const AskedQuestion& question, const Wanted& wanted = {}) const {
    try {
      names_.question(question, wanted);
    } catch (const Problem& problem) {
      return fmt::format("{}: {}", to_string(problem.kind()), problem.what());
    }
    return "no problem";
  }

  SmallRun small_;
  std::unique_ptr<ServedRun> run_ = small_.open(Journal::Access::write);
  std::shared_ptr<const LiveState> state_ = run_->state();
  NameResolver names_{*run_, *state_};
};

TEST_F(NameResolverTest, AsksForATailByTheRelationAndForAHeadByItsInverse) {
  const auto tail = std::get<Question>(names_.question(asked({"Dog", {}}, "is a kind of", {}), {.top = 3}));
  EXPECT_EQ(std::get<EntityId>(tail.given), id("dog"));
  EXPECT_EQ(tail.relation, 0);
  EXPECT_EQ(tail.wanted.top, 3);
  const auto head = std::get<Question>(names_.question(asked({}, "hypernym", {"canine", {}}), {}));
  EXPECT_EQ(head.relation, inverse(0, 2));
  const auto turned = std::get<Question>(names_.question(asked({}, "reverse of is a kind of", {"canine", {}}), {}));
  EXPECT_EQ(turned.relation, 0);
}

TEST_F(NameResolverTest, TakesATextAsAnEntityThatNobodyHasSeen) {
  const auto question = std::get<Question>(names_.question(asked({{}, "wolf: wild"}, "hypernym", {}), {}));
  EXPECT_EQ(std::get<UnseenEntity>(question.given).name, "wolf");
  EXPECT_EQ(std::get<UnseenEntity>(question.given).description, "wild");
}

TEST_F(NameResolverTest, AsksForARelationWhereNoneIsGiven) {
  const auto question =
      std::get<RelationQuestion>(names_.question(asked({"dog", {}}, {}, {"fox", {}}), {.top = 1, .new_only = true}));
  EXPECT_EQ(std::get<EntityId>(question.tail), id("fox"));
  EXPECT_TRUE(question.new_only);
  EXPECT_THAT(problem_of(asked({"dog", {}}, {}, {"fox", {}}), {.occurs_with_relation = true}),
              HasSubstr("unanswerable: queries[1]: candidates and occurs_with_relation are about entities"));
}

TEST_F(NameResolverTest, SaysWhichFieldNamesNothing) {
  EXPECT_THAT(problem_of(asked({"dgo", {}}, "hypernym", {})), HasSubstr("not_found: queries[1].head: no entity"));
  EXPECT_THAT(problem_of(asked({"dog", {}}, "hypenym", {})), HasSubstr("not_found: queries[1].relation: no relation"));
}

TEST_F(NameResolverTest, ListsTheEntitiesToChooseFrom) {
  const std::vector<Change> changes = {PutEntity{"bat-1", "bat", "flies"}, PutEntity{"bat-2", "bat", "a stick"}};
  run_->live().apply(changes);
  const auto state = run_->state();
  try {
    NameResolver(*run_, *state).entity("bat", "head");
    FAIL();
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.kind(), ProblemKind::ambiguous);
    std::vector<std::string> ids;
    for (const auto& each : problem.candidates) ids.push_back(each.id);
    EXPECT_THAT(ids, ::testing::UnorderedElementsAre("bat-1", "bat-2"));
  }
}

TEST_F(NameResolverTest, SortsCandidatesAndTakesEachOnce) {
  const PredictRequest request{.top = 7, .candidates = {{"paw", "dog", "Dog"}}};
  const Wanted wanted = names_.wanted(request);
  std::vector<EntityId> expected = {id("dog"), id("paw")};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(*wanted.among, expected);
  EXPECT_EQ(wanted.top, 7);
}

TEST_F(NameResolverTest, TurnsATripleOfAnInverseRound) {
  const AskedTriple asked{{"dog", {}}, {"paw", {}}, "reverse of is part of", ""};
  const AddTriple triple = names_.triple_to_add(asked);
  EXPECT_EQ(triple.head, "paw");
  EXPECT_EQ(triple.relation, "part_of");
  EXPECT_EQ(triple.tail, "dog");
}

}  // namespace
}  // namespace hasa
