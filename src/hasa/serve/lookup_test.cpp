#include "hasa/serve/lookup.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"

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

TEST(FindRelation, SuggestsTheNearestOrListsThemAll) {
  EXPECT_ERROR(find_relation(graph(), "kindof"), "did you mean kind_of");
  EXPECT_ERROR(find_relation(graph(), "zzz"), "expected one of: kind_of, a kind of, part_of, part of");
}

}  // namespace
}  // namespace hasa
