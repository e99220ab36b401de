#include "hasa/serve/lookup.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"
#include "hasa/serve/live_graph.h"
#include "hasa/serve/refusal.h"
#include "hasa/serve/run_for_tests.h"

namespace hasa {
namespace {

Graph graph() {
  return parse_triples(
      {"t.tsv", "n1\tkind_of\tn2\nn3\tkind_of\tn2\nn4\tpart_of\tn1\nn1\tpart_of\tn3\n"},
      NamedText{"x.tsv", "n1\tdog, domestic dog\ta friend\nn2\tAnimal\talive\nn3\tbat\tflies\nn4\tbat\ta stick\n"}, {},
      NamedText{"r.tsv", "kind_of\ta kind of\npart_of\tpart of\n"});
}

TEST(FindEntity, TakesAnIdANameOrOneNameOfAList) {
  const Graph g = graph();
  const EntityId dog = *g.find_entity("n1");
  EXPECT_EQ(find_entity(g, "n1"), dog);
  EXPECT_EQ(find_entity(g, "dog, domestic dog"), dog);
  EXPECT_EQ(find_entity(g, "Domestic Dog"), dog);
  EXPECT_EQ(find_entity(g, "animal"), *g.find_entity("n2"));
}

TEST(FindEntity, TakesUnderscoresForSpacesAndAnIdInAnotherCase) {
  const Graph g = graph();
  EXPECT_EQ(find_entity(g, "Domestic_Dog"), *g.find_entity("n1"));
  EXPECT_EQ(find_entity(g, "N2"), *g.find_entity("n2"));
}

TEST(FindEntity, EscapesControlCharactersInWhatItSays) {
  const Graph g = parse_triples({"t.tsv", "n1\tr\tn2\nn2\tr\tn3\n"},
                                NamedText{"x.tsv", "n1\tbat\x1B[2J\ta\nn2\tbat\x1B[2J\tb\nn3\tcat\tc\n"}, {}, {});
  EXPECT_ERROR(find_entity(g, "bat\x1B[2J"), "2 entities are called \"bat\\x1B[2J\"");
  EXPECT_ERROR(find_entity(g, "bat\x1B[2K"), "id or name \"bat\\x1B[2K\"; did you mean bat\\x1B[2J");
  EXPECT_ERROR(find_relation(g, "\x1B[2J"), "id or text \"\\x1B[2J\"; expected one of: r");
}

TEST(FindEntity, ListsTheIdsWhenSeveralShareAName) {
  EXPECT_ERROR(find_entity(graph(), "bat"), "2 entities are called \"bat\"; name one by its id:\n  n3  bat: flies");
}

TEST(FindEntity, SuggestsCloseNamesOnAMiss) {
  EXPECT_ERROR(find_entity(graph(), "anmial"), "no entity has the id or name \"anmial\"; did you mean Animal?");
}

TEST(FindRelation, TakesAnIdATextOrTheReverseOfOne) {
  const Graph g = graph();
  const RelationId kind = *g.find_relation("kind_of");
  EXPECT_EQ(find_relation(g, "kind_of"), kind);
  EXPECT_EQ(find_relation(g, "A kind of"), kind);
  EXPECT_EQ(find_relation(g, "reverse of a kind of"), inverse(kind, g.relations()));
}

TEST(FindRelation, MatchesInAnyCaseAndWithUnderscoresForSpaces) {
  const Graph g = graph();
  for (const char* name : {"KIND_OF", "kind of", "Kind Of", "a_kind_of", "A_KIND_OF"}) {
    EXPECT_EQ(find_relation(g, name), *g.find_relation("kind_of")) << name;
  }
  EXPECT_EQ(find_relation(g, "Reverse of Part_Of"), inverse(*g.find_relation("part_of"), g.relations()));
}

TEST(FindRelation, DoesNotChooseAmongSeveral) {
  const Graph g = parse_triples({"t.tsv", "a\tis_a\tb\nb\tIs_A\tc\n"}, std::nullopt, {}, std::nullopt);
  EXPECT_EQ(find_relation(g, "is_a"), *g.find_relation("is_a"));
  EXPECT_ERROR(find_relation(g, "IS_A"), "2 relations are called \"IS_A\"; name one by its id, such as is_a");
}

TEST(FindRelation, SuggestsTheNearestOrListsThemAll) {
  EXPECT_ERROR(find_relation(graph(), "kindof"), "did you mean kind_of");
  EXPECT_ERROR(find_relation(graph(), "zzz"), "expected one of: kind_of, a kind of, part_of, part of");
}

TEST(Lookup, FindsEntitiesAsChangesHaveLeftThem) {
  const testing::SmallRun small;
  const auto run = small.open(Journal::Access::write);
  const auto entity = [&](const char* name) { return run->lookup().entity(*run->state(), name); };
  const EntityId dog = entity("Dog");
  EXPECT_EQ(dog, *run->graph().find_entity("dog"));
  run->live().apply(std::vector<Change>{PutEntity{"dog", "Hound", ""}, PutEntity{"wolf", "Grey_Wolf, wolf", ""}});
  EXPECT_EQ(entity("hound"), dog);
  EXPECT_EQ(entity("grey wolf"), run->graph().entities());
  run->live().apply(std::vector<Change>{PutEntity{"dog2", "hound", ""}, DeleteEntity{"fox"}});
  EXPECT_ERROR(entity("fox"), "no entity has the id or name \"fox\"");
  try {
    entity("HOUND");
    ADD_FAILURE();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.reason(), Refusal::Reason::ambiguous);
    EXPECT_THAT(refusal.candidates(), ::testing::ElementsAre(dog, entity("dog2")));
  }
}

TEST(Lookup, SearchesNamesAndIdsOfChangesToo) {
  const testing::SmallRun small;
  const auto run = small.open(Journal::Access::write);
  const auto found = [&](const char* words) { return run->lookup().search(*run->state(), words, 10); };
  const EntityId canine = *run->graph().find_entity("canine");
  EXPECT_THAT(found("can"), ::testing::ElementsAre(canine));
  run->live().apply(std::vector<Change>{PutEntity{"n1", "Canary", ""}});
  EXPECT_THAT(found("can"), ::testing::ElementsAre(canine, run->graph().entities()));
  run->live().apply(std::vector<Change>{PutEntity{"canine", "beast", ""}, DeleteEntity{"n1"}});
  EXPECT_THAT(found("canary"), ::testing::IsEmpty());
  EXPECT_THAT(found("beast"), ::testing::ElementsAre(canine));
  EXPECT_THAT(run->lookup().search(*run->state(), "b", 0), ::testing::IsEmpty());
}

}  // namespace
}  // namespace hasa
