#include "hasa/kg/graph.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/kg/name_index.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::SmallBenchmark;

GraphParts two_entities() {
  GraphParts parts;
  parts.entities.add("a");
  parts.entities.add("b");
  parts.relations.add("r");
  parts.triples[0] = {{0, 0, 1}};
  return parts;
}

void expect_same(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.entities(), b.entities());
  ASSERT_EQ(a.relations(), b.relations());
  for (EntityId e = 0; e < a.entities(); ++e) {
    EXPECT_EQ(a.entity_id(e), b.entity_id(e));
    EXPECT_EQ(a.entity_name(e), b.entity_name(e));
    EXPECT_EQ(a.entity_description(e), b.entity_description(e));
    EXPECT_EQ(b.find_entity(a.entity_id(e)), e);
  }
  for (RelationId r = 0; r < a.num_directed_relations(); ++r) EXPECT_EQ(a.relation_text(r), b.relation_text(r));
  for (const Split split : kSplits)
    EXPECT_TRUE(
        std::equal(a.triples(split).begin(), a.triples(split).end(), b.triples(split).begin(), b.triples(split).end()));
  EXPECT_EQ(to_json(a.audit()), to_json(b.audit()));
  EXPECT_EQ(a.content_hash(), b.content_hash());
}

TEST(Graph, GivesIdsNamesAndTexts) {
  const Graph graph = SmallBenchmark().read();
  EXPECT_EQ(graph.entities(), 5);
  EXPECT_EQ(graph.relations(), 2);
  EXPECT_EQ(graph.num_directed_relations(), 4);
  const EntityId dog = graph.find_entity("dog").value();
  EXPECT_EQ(graph.entity_name(dog), "Dog");
  EXPECT_EQ(graph.entity_description(dog), "a domestic canine");
  EXPECT_EQ(graph.find_entity("Dog"), std::nullopt);
  const RelationId part_of = graph.find_relation("part_of").value();
  EXPECT_EQ(graph.relation_text(part_of), "is part of");
  EXPECT_EQ(graph.relation_text(part_of + 2), "reverse of is part of");
}

TEST(Graph, PutsIdsForMissingNames) {
  SmallBenchmark small;
  small.with_texts = false;
  const Graph graph = small.read();
  EXPECT_EQ(graph.entity_name(0), "dog");
  EXPECT_EQ(graph.entity_description(0), "");
  EXPECT_EQ(graph.relation_text(0), "hypernym");
  EXPECT_FALSE(graph.has_name(0));
  EXPECT_FALSE(graph.has_relation_text(0));
}

TEST(Graph, FindsByExactNameBeforeOtherCases) {
  SmallBenchmark small;
  small.entities = "dog\tDog\t\nfox\tdog\t\npaw\tDOG\t\ncanine\tÉlan\t\n";
  const Graph graph = small.read();
  EXPECT_THAT(graph.entities_named("Dog"), ElementsAre(0));
  EXPECT_THAT(graph.entities_named("dOg"), ElementsAre(0, 1, 2));
  EXPECT_THAT(graph.entities_named("éLAN"), ElementsAre(3));
  EXPECT_THAT(graph.entities_named("animal"), ElementsAre(4));  // has no name: its id
  EXPECT_THAT(graph.entities_named("cow"), IsEmpty());
  EXPECT_THAT(graph.relations_named("IS A kind of"), ElementsAre(0));
}

TEST(Graph, OpensAsItWasSaved) {
  const testing::TempDir folder;
  for (const bool with_texts : {true, false}) {
    SmallBenchmark small;
    small.with_texts = with_texts;
    const Graph graph = small.read();
    graph.save(folder / "graph");
    const Graph opened = Graph::open(folder / "graph");
    expect_same(graph, opened);
    EXPECT_EQ(graph.entities_named("FOX"), opened.entities_named("FOX"));
    opened.save(folder / "again");  // a mapped graph can be saved too
    expect_same(graph, Graph::open(folder / "again"));
  }
}

TEST(Graph, StaysItselfWhenMoved) {
  const testing::TempDir folder;
  SmallBenchmark().read().save(folder / "graph");
  Graph opened = Graph::open(folder / "graph");
  const Graph moved = std::move(opened);
  expect_same(SmallBenchmark().read(), moved);
  EXPECT_EQ(moved.entities_named("fox").size(), 1U);
}

TEST(Graph, HashesItsContentAlone) {
  SmallBenchmark changed;
  changed.entities += "";
  EXPECT_EQ(SmallBenchmark().read().content_hash(), changed.read().content_hash());
  changed.test = "fox\tpart_of\tanimal\n";
  EXPECT_NE(SmallBenchmark().read().content_hash(), changed.read().content_hash());
}

TEST(Graph, RefusesPartsThatDoNotFit) {
  GraphParts parts = two_entities();
  parts.triples[1] = {{0, 0, 2}};
  EXPECT_ERROR(Graph(std::move(parts)), "valid triple 0 is (0, 0, 2), but there are 2 entities and 1 relations");
  parts = two_entities();
  parts.triples[2] = {{0, -1, 1}};
  EXPECT_ERROR(Graph(std::move(parts)), "test triple 0");
  parts = two_entities();
  parts.names.add("only one");
  EXPECT_ERROR(Graph(std::move(parts)), "1 names of entities for 2");
}

TEST(Graph, SavesOverAGraphButOverNothingElse) {
  const testing::TempDir folder;
  const Graph graph = SmallBenchmark().read();
  graph.save(folder / "graph");
  graph.save(folder / "graph");
  std::filesystem::create_directory(folder / "empty");
  graph.save(folder / "empty");
  std::filesystem::create_directory(folder / "mine");
  std::ofstream(folder / "mine" / "notes.txt") << "keep me";
  EXPECT_ERROR(graph.save(folder / "mine"), "is not a graph; it was left alone");
  std::ofstream(folder / "graph" / "notes.txt") << "keep me";
  EXPECT_ERROR(graph.save(folder / "graph"), "it was left alone");
  EXPECT_ERROR(graph.save(folder / "graph" / "notes.txt"), "it was left alone");
  EXPECT_TRUE(std::filesystem::exists(folder / "mine" / "notes.txt"));
}

TEST(Graph, RemovesWhatAKilledProcessLeftOfWritingItAndNothingElse) {
  const testing::TempDir folder;
  const auto leave = [&](const std::string& name, const char* file) {
    std::filesystem::create_directory(folder / name);
    std::ofstream(folder / name / file) << "half";
    return folder / name;
  };
  const auto killed = leave(".graph.0123456789abcdef.tmp", ".graph.bin.00ff00ff00ff00ff.tmp");
  const auto filling = leave(".graph.ffffffffffffffff.tmp", "graph.bin");
  const auto mine = leave(".graph.0000000000000000.tmp", "notes.txt");
  const auto of_another = leave(".graph2.0123456789abcdef.tmp", "graph.bin");
  const int descriptor = ::open(filling.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  SmallBenchmark().read().save(folder / "graph");
  ::close(descriptor);
  EXPECT_FALSE(std::filesystem::exists(killed));
  for (const auto& stays : {filling, mine, of_another}) EXPECT_TRUE(std::filesystem::exists(stays)) << stays;
}

TEST(Graph, SaysHowToMakeAGraphWhereThereIsNone) {
  const testing::TempDir folder;
  EXPECT_ERROR(Graph::open(folder / "nowhere"), "there is no graph at");
  std::ofstream(folder / "train.txt") << "a\tr\tb\n";
  EXPECT_ERROR(Graph::open(folder.path()), "hasa import " + folder.path().string() + " --out GRAPH");
  EXPECT_ERROR(Graph::open(folder / "train.txt"), "is a file; a graph is a folder");
  std::filesystem::create_directory(folder / "empty");
  EXPECT_ERROR(Graph::open(folder / "empty"), "has no graph.bin");
}

TEST(Graph, RefusesADamagedFileWhereverItIsDamaged) {
  const testing::TempDir folder;
  SmallBenchmark().read().save(folder / "graph");
  const std::string good = read_file(folder / "graph" / "graph.bin");
  const auto opened = [&](std::string bytes) {
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    return Graph::from_bytes({data, data + bytes.size()}, "graph.bin");
  };
  expect_same(SmallBenchmark().read(), opened(good));
  for (std::size_t size = 0; size < good.size(); size += 37) EXPECT_THROW(opened(good.substr(0, size)), Error) << size;
  // A changed byte is found by a checksum, unless it is in the padding between sections.
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    try {
      expect_same(SmallBenchmark().read(), opened(bad));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, good.size() / 2);
}

TEST(Graph, BringsAlongTheEmbeddingsOfTheOneItGrewFrom) {
  const testing::TempDir dir;
  const Graph graph = SmallBenchmark().read();
  graph.save(dir / "graph");
  write_file(dir / "graph/texts-0123.safetensors", "vectors");
  write_file(dir / "graph/texts-0123.part", "some");
  write_file(dir / "graph/tokens-0123-names.bin", "tokens");
  graph.save(dir / "other", dir / "graph");
  EXPECT_EQ(read_file(dir / "other/texts-0123.safetensors"), "vectors");
  EXPECT_FALSE(std::filesystem::exists(dir / "other/texts-0123.part"));
  EXPECT_FALSE(std::filesystem::exists(dir / "other/tokens-0123-names.bin"));
  graph.save(dir / "graph", dir / "graph");  // in its own place
  EXPECT_EQ(read_file(dir / "graph/texts-0123.safetensors"), "vectors");
  EXPECT_FALSE(std::filesystem::exists(dir / "graph/tokens-0123-names.bin"));
}

}  // namespace
}  // namespace hasa
