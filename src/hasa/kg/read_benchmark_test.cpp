#include "hasa/kg/read_benchmark.h"

#include <fstream>

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

using testing::SmallBenchmark;

void write(const std::filesystem::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

void write_small(const std::filesystem::path& folder) {
  const SmallBenchmark small;
  write(folder / "train.txt", small.train);
  write(folder / "valid.txt", small.valid);
  write(folder / "test.txt", small.test);
}

TEST(ReadBenchmark, ReadsAFolderWithAndWithoutTexts) {
  const testing::TempDir folder;
  write_small(folder.path());
  EXPECT_EQ(read_benchmark(folder.path()).audit().without_text.count, 5U);
  write(folder / "entities.tsv", SmallBenchmark().entities);
  write(folder / "relations.tsv", SmallBenchmark().relations);
  const Graph graph = read_benchmark(folder.path());
  EXPECT_EQ(graph.content_hash(), SmallBenchmark().read().content_hash());
  EXPECT_EQ(graph.audit().without_text.count, 0U);
  EXPECT_EQ(graph.audit().source, "benchmark " + folder.path().filename().string());
}

TEST(ReadBenchmark, NamesTheSplitThatIsMissing) {
  for (const char* name : {"train.txt", "valid.txt", "test.txt"}) {
    const testing::TempDir folder;
    write_small(folder.path());
    std::filesystem::remove(folder / name);
    EXPECT_ERROR(read_benchmark(folder.path()), std::string(" has no ") + name);
  }
  EXPECT_ERROR(read_benchmark("/nowhere/at/all"), "there is no folder /nowhere/at/all");
}

TEST(ReadBenchmark, NamesTheFileThatIsEmpty) {
  for (const char* nothing : {"", "\xEF\xBB\xBF"}) {
    SmallBenchmark small;
    small.train = nothing;
    EXPECT_ERROR(small.read(), "train.txt is empty, expected lines of head");
    small = {};
    small.entities = nothing;
    EXPECT_ERROR(small.read(), "entities.tsv is empty, expected lines of id");
    small = {};
    small.relations = nothing;
    EXPECT_ERROR(small.read(), "relations.tsv is empty");
  }
}

TEST(ReadBenchmark, TakesAnEmptyFileOfValidOrTestForAnEmptySplit) {
  SmallBenchmark small;
  small.valid = small.test = "";
  const Graph graph = small.read();
  EXPECT_FALSE(graph.triples(Split::train).empty());
  EXPECT_TRUE(graph.triples(Split::valid).empty() && graph.triples(Split::test).empty());
}

TEST(ReadBenchmark, GathersTheBadLinesOfAllFiles) {
  SmallBenchmark small;
  small.train += "dog\thypernym\n";
  small.test += "\thypernym\tdog\n";
  small.entities += "cow\tCow\n";
  small.relations += "r\tone\ttwo\n";
  EXPECT_ERROR(
      small.read(),
      "entities.tsv:6:8: expected id, name and description separated by tabs, found 2 fields: \"cow<TAB>Cow\"\n"
      "relations.tsv:3:7: expected id and words separated by a tab, found 3 fields: \"r<TAB>one<TAB>two\"\n"
      "train.txt:5:13: expected head, relation and tail separated by tabs, found 2 fields: \"dog<TAB>hypernym\"\n"
      "test.txt:2:1: expected head, relation and tail separated by tabs, found an empty head: "
      "\"<TAB>hypernym<TAB>dog\"\n"
      "nothing was imported; --bad-lines skip imports the rest and counts them");
}

TEST(ReadBenchmark, ReadsPastBlankLines) {
  SmallBenchmark small;
  small.train += "\n";
  small.entities += "\n\n";
  EXPECT_EQ(small.read().content_hash(), SmallBenchmark().read().content_hash());
}

TEST(ReadBenchmark, SkipsBadLinesWhenToldAndCountsThem) {
  SmallBenchmark small;
  small.train += "dog\thypernym\n\xFF\thypernym\tdog\n";
  small.entities += "cow\tCow\n";
  const Graph graph = small.read({BadLines::skip});
  EXPECT_EQ(graph.audit().bad_lines.count, 3U);
  EXPECT_EQ(graph.content_hash(), SmallBenchmark().read().content_hash());
  small.valid = "nothing good\n";
  EXPECT_ERROR(small.read({BadLines::skip}), "valid.txt has no valid line");
}

TEST(ReadBenchmark, ReadsByteOrderMarksAndCrlfAsWhatTheyAre) {
  const auto windows = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
    return "\xEF\xBB\xBF" + text;
  };
  SmallBenchmark small;
  small = {windows(small.train), windows(small.valid), windows(small.test), windows(small.entities),
           windows(small.relations)};
  small.test.resize(small.test.size() - 2);  // the last line may lack its end
  EXPECT_EQ(small.read().content_hash(), SmallBenchmark().read().content_hash());
}

TEST(ReadBenchmark, CountsIdsListedTwiceAndKeepsTheFirst) {
  SmallBenchmark small;
  small.entities += "dog\tHound\tanother text\n";
  const Graph graph = small.read();
  EXPECT_EQ(graph.audit().repeated_texts.count, 1U);
  EXPECT_EQ(graph.audit().repeated_texts.examples.at(0), "entities.tsv:6: dog");
  EXPECT_EQ(graph.entity_name(graph.find_entity("dog").value()), "Dog");
}

TEST(ReadBenchmark, AddsAndCountsIdsThatTheTextsDoNotList) {
  SmallBenchmark small;
  small.train += "cow\teats\tgrass\n";
  const Graph graph = small.read();
  EXPECT_EQ(graph.entities(), 7);
  EXPECT_EQ(graph.entity_name(5), "cow");
  EXPECT_THAT(graph.audit().unlisted.examples, ::testing::ElementsAre("cow", "grass"));
  EXPECT_THAT(graph.audit().unlisted_relations.examples, ::testing::ElementsAre("eats"));
  EXPECT_THAT(graph.audit().relations_without_text.examples, ::testing::ElementsAre("eats"));
}

TEST(ReadBenchmark, FindsTheFactsOfWn18rr) {
  HASA_NEEDS_FOLDER(data, "HASA_DATA");
  const Graph graph = read_benchmark(data / "WN18RR");
  EXPECT_EQ(graph.entities(), 40943);
  EXPECT_EQ(graph.relations(), 11);
  EXPECT_EQ(graph.triples(Split::train).size(), 86835U);
  EXPECT_EQ(graph.triples(Split::valid).size(), 3034U);
  EXPECT_EQ(graph.triples(Split::test).size(), 3134U);
  EXPECT_EQ(graph.audit().unseen_test_entities.count, 209U);
  EXPECT_EQ(graph.audit().reversed.count, 1086U);
}

TEST(ReadBenchmark, FindsTheFactsOfFb15k237) {
  HASA_NEEDS_FOLDER(data, "HASA_DATA");
  const Graph graph = read_benchmark(data / "FB15k-237");
  EXPECT_EQ(graph.entities(), 14541);
  EXPECT_EQ(graph.relations(), 237);
  EXPECT_EQ(graph.triples(Split::train).size(), 272115U);
  EXPECT_EQ(graph.triples(Split::valid).size(), 17535U);
  EXPECT_EQ(graph.triples(Split::test).size(), 20466U);
  EXPECT_EQ(graph.audit().unseen_test_entities.count, 29U);
  EXPECT_EQ(graph.audit().without_description.count, 26U);
  EXPECT_EQ(graph.audit().reversed.count, 0U);
}

TEST(ReadBenchmark, OpensWhatItReadOnceSaved) {
  HASA_NEEDS_FOLDER(data, "HASA_DATA");
  const testing::TempDir folder;
  const Graph graph = read_benchmark(data / "WN18RR");
  graph.save(folder / "graph");
  EXPECT_EQ(Graph::open(folder / "graph").content_hash(), graph.content_hash());
}

}  // namespace
}  // namespace hasa
