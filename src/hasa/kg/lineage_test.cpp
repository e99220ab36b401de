#include "hasa/kg/lineage.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/kg/add_to_graph.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TempDir;

Graph first_graph() {
  return parse_triples({"t.tsv", "a\tr\tb\nb\tr\tc\nc\tr\ta\n"}, NamedText{"texts.tsv", "a\tAnn\tthe first\n"},
                       {.split = {.valid = 0, .test = 0}});
}

Graph with(const Graph& graph, const std::string& triples, const std::string& texts = "",
           const std::string& relation_texts = "") {
  const TempDir dir;
  TextFiles files;
  write_file(dir / "more.tsv", triples);
  write_file(dir / "texts.tsv", texts);
  write_file(dir / "relations.tsv", relation_texts);
  if (!texts.empty()) files.entities = {dir / "texts.tsv"};
  if (!relation_texts.empty()) files.relations = {dir / "relations.tsv"};
  return add_to_graph(graph, triples.empty() ? std::vector<std::string>{} : std::vector<std::string>{dir / "more.tsv"},
                      files, {});
}

TEST(Lineage, KnowsHowMuchAnAncestorHadAndWhichTextsChangedSince) {
  const Graph one = first_graph();
  const Graph two = with(one, "d\ts\ta\n", "b\tBea\tthe second\n");  // b gets a text; d and s are new
  const Graph three = with(two, "e\tr\ta\n", "a\tAnna\tthe first\nd\tDan\tnew\n", "r\tknows\n");
  const auto since_one = three.growth_since(one.content_hash()), since_two = three.growth_since(two.content_hash());
  ASSERT_TRUE(since_one && since_two);
  EXPECT_EQ(since_one->entities, 3);
  EXPECT_EQ(since_one->relations, 1);
  EXPECT_THAT(since_one->changed_entities, ElementsAre(0, 1));  // d changed too, but was not there
  EXPECT_THAT(since_one->changed_relations, ElementsAre(0));
  EXPECT_EQ(since_two->entities, 4);
  EXPECT_EQ(since_two->relations, 2);
  EXPECT_THAT(since_two->changed_entities, ElementsAre(0, 3));
  EXPECT_THAT(three.lineage().ancestors(), ElementsAre(one.content_hash(), two.content_hash()));
}

TEST(Lineage, OfAGraphToItselfIsNoGrowthAndOfAnUnrelatedOneNothing) {
  const Graph one = first_graph();
  const auto same = one.growth_since(one.content_hash());
  ASSERT_TRUE(same);
  EXPECT_EQ(same->entities, 3);
  EXPECT_THAT(same->changed_entities, IsEmpty());
  const Graph other = with(one, "x\tr\ta\n"), another = with(one, "y\tr\ta\n");
  EXPECT_FALSE(other.growth_since(another.content_hash()));
  EXPECT_FALSE(one.growth_since(other.content_hash()));  // it knows no descendants
}

TEST(Lineage, IsNotLongerForAnAdditionThatAddsNothing) {
  const Graph one = first_graph();
  EXPECT_TRUE(with(one, "a\tr\tb\n").lineage().empty());
}

TEST(Lineage, OfATextThatChangedBackIsTheGraphItself) {
  const Graph one = with(first_graph(), "", "a\tAnn\tthe first\nb\tBob\tx\n");
  const Graph two = with(one, "", "b\tBea\tx\n"), back = with(two, "", "b\tBob\tx\n");
  EXPECT_EQ(back.content_hash(), one.content_hash());
  EXPECT_THAT(back.growth_since(one.content_hash())->changed_entities, IsEmpty());
  EXPECT_THAT(back.growth_since(two.content_hash())->changed_entities, ElementsAre(1));
}

TEST(Lineage, IsKeptInTheFileAndAbsentFromFilesWithoutIt) {
  const TempDir dir;
  const Graph one = first_graph();
  with(one, "d\ts\ta\n", "b\tBea\tthe second\n").save(dir / "two");
  const auto since = Graph::open(dir / "two").growth_since(one.content_hash());
  ASSERT_TRUE(since);
  EXPECT_EQ(since->entities, 3);
  EXPECT_THAT(since->changed_entities, ElementsAre(1));
  one.save(dir / "one");
  EXPECT_TRUE(Graph::open(dir / "one").lineage().empty());
  EXPECT_EQ(read_file(dir / "one" / Graph::kFileName).find("lineage"), std::string::npos);
}

TEST(Lineage, RefusesAFileWhoseNumbersDoNotFitTheGraph) {
  const TempDir dir;
  struct Step {
    std::uint64_t hash;
    std::int64_t entities, relations, changed_entities, changed_relations;
  };
  const auto read = [&](const Step& step, const std::vector<std::int32_t>& changed) {
    ArchiveWriter writer("graph", 1);
    const std::vector<Step> steps{step};
    writer.add("lineage", steps);
    writer.add("lineage.changed", changed);
    writer.save(dir / "file");
    const Archive archive(dir / "file", "graph", 1);
    return Lineage::read(archive, /*entities=*/5, /*relations=*/2);
  };
  EXPECT_EQ(read({1, 4, 1, 2, 1}, {0, 3, 0}).ancestors().size(), 1U);
  EXPECT_ERROR(read({1, 6, 1, 0, 0}, {}), "the file is damaged");         // more entities than the graph
  EXPECT_ERROR(read({1, 4, 1, 1, 0}, {4}), "the file is damaged");        // one that the ancestor had not
  EXPECT_ERROR(read({1, 4, 1, 2, 0}, {3, 0}), "the file is damaged");     // not rising
  EXPECT_ERROR(read({1, 4, 1, 2, 0}, {0, 1, 2}), "the file is damaged");  // one too many
  EXPECT_ERROR(read({1, 4, 1, 1, INT64_MAX}, {0}), "the file is damaged");
}

TEST(Lineage, RefusesAGraphWithOtherNumbers) {
  const Graph one = first_graph();
  const Graph turned = parse_triples({"t.tsv", "b\tr\tc\na\tr\tb\nc\tr\ta\n"}, {}, {.split = {.valid = 0, .test = 0}});
  EXPECT_ERROR(Lineage::of(turned, one), "entity a has another number");
}

}  // namespace
}  // namespace hasa
