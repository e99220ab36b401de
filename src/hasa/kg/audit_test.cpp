#include "hasa/kg/audit.h"

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SmallBenchmark;

TEST(Audit, FindsNothingInACleanGraph) {
  const Audit audit = SmallBenchmark().read().audit();
  EXPECT_EQ(audit.entities, 5U);
  EXPECT_EQ(audit.relations, 2U);
  EXPECT_THAT(audit.triples, ElementsAre(4, 1, 1));
  Audit::visit(audit,
               [](const char* key, const char*, const Finding& finding) { EXPECT_EQ(finding.count, 0U) << key; });
}

TEST(Audit, CountsMissingTexts) {
  SmallBenchmark small;
  small.entities = "animal\tAnimal\t\ncanine\t\ta dog-like animal\ndog\t\t\nfox\tFox\tx\npaw\tpaw\tx\n";
  small.relations = "hypernym\t\npart_of\tis part of\n";
  const Audit audit = small.read().audit();
  EXPECT_THAT(audit.without_name.examples, ElementsAre("canine", "dog"));
  EXPECT_THAT(audit.without_description.examples, ElementsAre("animal", "dog"));
  EXPECT_THAT(audit.without_text.examples, ElementsAre("dog"));
  EXPECT_THAT(audit.relations_without_text.examples, ElementsAre("hypernym"));
}

TEST(Audit, CountsNamesThatSeveralEntitiesBear) {
  SmallBenchmark small;
  small.entities = "animal\tx\ta\ncanine\tX\ta\ndog\tx\ta\nfox\tx\ta\npaw\t\ta\n";
  const Audit audit = small.read().audit();
  EXPECT_EQ(audit.shared_names.count, 1U);
  EXPECT_THAT(audit.shared_names.examples, ElementsAre("x (3 entities)"));
}

TEST(Audit, TellsRepetitionWithinASplitFromLeaksBetweenThem) {
  SmallBenchmark small;
  small.train += "dog\thypernym\tcanine\ndog\thypernym\tcanine\n";
  small.valid += "fox\thypernym\tcanine\n";
  small.test += "fox\thypernym\tcanine\nfox\thypernym\tanimal\n";
  const Audit audit = small.read().audit();
  EXPECT_THAT(audit.duplicates.examples, ElementsAre("dog hypernym canine (in train)", "dog hypernym canine (in train)",
                                                     "fox hypernym animal (in test)"));
  EXPECT_THAT(audit.leaked.examples,
              ElementsAre("fox hypernym canine (in train and valid)", "fox hypernym canine (in train and test)"));
}

TEST(Audit, CountsTestTriplesWhoseReverseIsInTraining) {
  SmallBenchmark small;
  small.test += "canine\thypernym\tdog\n";
  EXPECT_THAT(small.read().audit().reversed.examples, ElementsAre("canine hypernym dog"));
}

TEST(Audit, CountsWhatTrainingNeverSees) {
  SmallBenchmark small;
  small.valid += "wolf\thowls_at\tdog\n";
  small.test += "cub\tborn_to\twolf\n";
  small.entities += "cat\tcat\tunlinked\n";
  small.relations += "unused\tunused\n";
  const Audit audit = small.read().audit();
  EXPECT_THAT(audit.unseen_entities.examples, ElementsAre("wolf", "cub"));
  EXPECT_THAT(audit.unseen_test_entities.examples, ElementsAre("wolf", "cub"));
  EXPECT_THAT(audit.unseen_relations.examples, ElementsAre("howls_at", "born_to"));
  EXPECT_THAT(audit.isolated.examples, ElementsAre("cat"));
  EXPECT_THAT(audit.unused_relations.examples, ElementsAre("unused"));
}

TEST(Audit, CountsLoops) {
  SmallBenchmark small;
  small.train += "dog\tpart_of\tdog\n";
  EXPECT_THAT(small.read().audit().self_loops.examples, ElementsAre("dog part_of dog"));
}

TEST(Audit, SurvivesJson) {
  SmallBenchmark small;
  small.test += "cub\tborn_to\twolf\n";
  const Audit audit = small.read().audit();
  const std::string json = to_json(audit);
  EXPECT_EQ(to_json(audit_from_json(json)), json);
  EXPECT_THAT(json, HasSubstr("\"unseen_entities\": 2"));
  EXPECT_THAT(json, HasSubstr("\"texts_missing\": 2"));
}

TEST(Audit, RefusesJsonThatIsNoAudit) {
  for (const char* text : {"", "{", "[]", "{}", R"({"source": 3})", R"({"source": "x", "entities": "many"})"})
    EXPECT_ERROR(audit_from_json(text), "import summary cannot be read");
}

TEST(Audit, ShowsWhatWasFoundWithExamples) {
  SmallBenchmark small;
  small.test += "cub\tpart_of\tdog\n";
  const std::string table = to_table(small.read().audit());
  EXPECT_THAT(table, HasSubstr("benchmark small\n             6  entities\n"));
  EXPECT_THAT(table, HasSubstr("             1  entities of test unseen in training\n                  cub\n"));
  EXPECT_THAT(table, ::testing::Not(HasSubstr("from an entity to itself")));
}

TEST(Audit, ShowsControlCharactersInsteadOfPrintingThem) {
  SmallBenchmark small;
  small.test += "\x1B[2Jcub\tpart_of\tdog\n";
  EXPECT_THAT(to_table(small.read().audit()), HasSubstr("                  \\x1B[2Jcub\n"));
}

}  // namespace
}  // namespace hasa
