#include "hasa/kg/add_to_graph.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

struct Added {
  testing::TempDir folder;
  Graph graph = parse_triples({"t.tsv", "a\tr\tb\nb\tr\tc\nc\tr\ta\n"}, NamedText{"texts.tsv", "a\tAnn\tthe first\n"},
                              {.split = {.valid = 0, .test = 0}});

  Graph add(const std::string& name, const std::string& content, const std::string& texts = "") {
    write_file(folder / name, content);
    TextFiles text_files;
    if (!texts.empty()) {
      write_file(folder / "more-texts.tsv", texts);
      text_files.entities = {folder / "more-texts.tsv"};
    }
    return add_to_graph(graph, {folder / name}, text_files, {});
  }
};

TEST(AddToGraph, KeepsNumbersAndPutsNewOnesBehind) {
  Added small;
  const Graph more = small.add("more.tsv", "d\tr\ta\na\tr\tb\nd\ts\tb\nd\tr\ta\n");
  for (EntityId e = 0; e < small.graph.entities(); ++e) EXPECT_EQ(more.entity_id(e), small.graph.entity_id(e));
  EXPECT_EQ(more.entity_id(3), "d");
  EXPECT_EQ(more.relation_id(1), "s");
  EXPECT_EQ(more.triples(Split::train).size(), 5U);
  EXPECT_EQ(more.audit().dropped_duplicates.count, 2U);
  EXPECT_EQ(more.entity_name(0), "Ann");
  EXPECT_THAT(more.audit().source, ::testing::EndsWith("2 triples added"));
}

TEST(AddToGraph, SeesTextsThatChanged) {
  Added small;
  const Graph more = small.add("more.tsv", "b\tr\ta\n", "a\tAnna\tthe first\nb\tBea\tthe second\n");
  EXPECT_EQ(more.entity_name(0), "Anna");
  EXPECT_EQ(more.entity_name(1), "Bea");
  EXPECT_THAT(more.audit().replaced_texts.examples, ::testing::ElementsAre("a"));
  EXPECT_NE(more.content_hash(), small.graph.content_hash());
}

TEST(AddToGraph, TakesTextsFromTheTriplesOwnFile) {
  Added small;
  const Graph more = small.add("more.jsonl",
                               "{\"entity\": \"a\", \"name\": \"Anna\"}\n{\"entity\": \"nobody\", \"name\": \"x\"}\n"
                               "{\"head\": \"e\", \"relation\": \"r\", \"tail\": \"a\"}\n");
  EXPECT_EQ(more.entities(), 4);
  EXPECT_EQ(more.entity_name(0), "Anna");
  EXPECT_EQ(more.entity_description(0), "the first");
  EXPECT_THAT(more.audit().unused_texts.examples, ::testing::ElementsAre("nobody"));
}

TEST(AddToGraph, TakesBlankNodesOfANewFileForNewOnes) {
  Added small;
  small.graph = small.add("one.nt", "_:x <http://r> <http://b> .\n");
  const Graph more = small.add("two.nt", "_:x <http://r> <http://b> .\n");
  EXPECT_EQ(more.triples(Split::train).size(), 5U);
  EXPECT_THAT(more.audit().source, ::testing::EndsWith(", 2 triples added"));  // of both files
}

}  // namespace
}  // namespace hasa
