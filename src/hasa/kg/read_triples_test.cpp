#include "hasa/kg/read_triples.h"

#include <fstream>

#include "hasa/base/testing.h"
#include "hasa/kg/read/turtle.h"

namespace hasa {
namespace {

std::string ring(int size) {
  std::string lines;
  for (int i = 0; i < size; ++i) {
    for (const int step : {1, 2, 3}) lines += fmt::format("e{}\tplus {}\te{}\n", i, step, (i + step) % size);
  }
  return lines;
}

TEST(ReadTriples, SplitsAFileSoThatNothingIsUnseen) {
  const Graph graph = parse_triples({"ring.tsv", ring(100)}, {}, {});
  EXPECT_EQ(graph.entities(), 100);
  EXPECT_EQ(graph.relations(), 3);
  EXPECT_EQ(graph.triples(Split::valid).size(), 15U);
  EXPECT_EQ(graph.triples(Split::test).size(), 15U);
  EXPECT_EQ(graph.triples(Split::train).size(), 270U);
  EXPECT_EQ(graph.audit().unseen_entities.count, 0U);
  EXPECT_EQ(graph.audit().unseen_relations.count, 0U);
  EXPECT_EQ(graph.audit().source, "triples ring.tsv");
}

TEST(ReadTriples, DropsRepeatedTriplesBeforeSplitting) {
  const Graph graph = parse_triples({"ring.tsv", ring(50) + ring(50)}, {}, {});
  EXPECT_EQ(graph.audit().dropped_duplicates.count, 150U);
  EXPECT_EQ(graph.audit().dropped_duplicates.examples.at(0), "e0 plus 1 e1");
  EXPECT_EQ(graph.audit().duplicates.count + graph.audit().leaked.count, 0U);
}

TEST(ReadTriples, TakesTextsFromASecondFileAndCountsWhatDoesNotMatch) {
  const std::string text = "e0\tzero\tthe first\ne1\tthe second\nstranger\tx\ty\n";
  const Graph graph = parse_triples({"ring.tsv", ring(10)}, NamedText{"text.tsv", text}, {},
                                    NamedText{"relations.tsv", "plus 1\tfollows\n"});
  EXPECT_EQ(graph.entity_name(0), "zero");
  EXPECT_EQ(graph.entity_description(0), "the first");
  EXPECT_EQ(graph.entity_name(1), "e1");
  EXPECT_EQ(graph.entity_description(1), "the second");
  EXPECT_EQ(graph.relation_text(0), "follows");
  EXPECT_THAT(graph.audit().unused_texts.examples, ::testing::ElementsAre("stranger"));
  EXPECT_EQ(graph.audit().unlisted.count, 8U);
  EXPECT_EQ(graph.audit().unlisted_relations.count, 2U);
}

TEST(ReadTriples, ReportsBadLinesOfBothFiles) {
  EXPECT_ERROR(
      parse_triples({"t.tsv", "a\tr\tb\nbad\n"}, NamedText{"text.tsv", "lonely\n"}, {}),
      "t.tsv:2:4: expected head, relation and tail separated by tabs, found 1 field: \"bad\"\n"
      "text.tsv:1:7: expected id, name and description, or id and description, separated by tabs, found 1 field");
  EXPECT_ERROR(parse_triples({"t.tsv", ""}, {}, {}), "t.tsv is empty");
  EXPECT_ERROR(parse_triples({"t.tsv", "a\tr\tb\n"}, NamedText{"text.tsv", ""}, {}), "text.tsv is empty");
}

TEST(ReadTriples, ReadsFilesAndChoosesTheFormatByTheirName) {
  const testing::TempDir folder;
  std::ofstream(folder / "t.csv") << "head,relation,tail\n\"a,1\",r,b\nb,r,\"a,1\"\n";
  ReadTriplesOptions options;
  const Graph graph = read_triples({folder / "t.csv"}, {}, options);
  EXPECT_EQ(graph.entity_id(0), "a,1");
  EXPECT_EQ(graph.entities(), 2);
  options.as.format = InputFormat::tsv;
  EXPECT_ERROR(read_triples({folder / "t.csv"}, {}, options), "t.csv:1:19: expected head");
  options = {};
  options.as.fields.header = false;
  EXPECT_EQ(read_triples({folder / "t.csv"}, {}, options).entities(), 4);
  EXPECT_ERROR(read_triples({folder / "missing.tsv"}), "missing.tsv");
  EXPECT_ERROR(read_triples({"/dev/null"}), "/dev/null is empty");
}

TEST(ReadTriples, KeepsEntitiesOutOfTrainingOnPurpose) {
  ReadTriplesOptions options;
  options.split.unseen_entities = 0.1;
  const Graph graph = parse_triples({"ring.tsv", ring(200)}, {}, options);
  EXPECT_EQ(graph.audit().unseen_entities.count, 20U);
}

TEST(ReadTriples, TakesTextsOfRelationsFromJsonLines) {
  const NamedText words{"r.jsonl", "{\"relation\": \"r\", \"text\": \"is next to\"}\n"};
  EXPECT_EQ(parse_triples({"t.tsv", "a\tr\tb\n"}, {}, {}, words).relation_text(0), "is next to");
}

TEST(ReadTriples, KnowsTurtleByItsFirstLines) {
  if (!reads_turtle()) GTEST_SKIP() << "built without serd";
  const Graph graph = parse_triples({"t.txt", "@prefix e: <http://e.org/> .\ne:a e:r e:b .\n"});
  EXPECT_EQ(graph.entity_id(0), "http://e.org/a");
}

}  // namespace
}  // namespace hasa
