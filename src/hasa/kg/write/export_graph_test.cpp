#include "hasa/kg/write/export_graph.h"

#include <nlohmann/json.hpp>

#include "hasa/base/file.h"
#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/kg/import_graph.h"
#include "hasa/kg/read/turtle.h"
#include "hasa/kg/wordnet.h"

namespace hasa {
namespace {

constexpr ExportFormat kAll[] = {
    ExportFormat::benchmark, ExportFormat::tsv,  ExportFormat::csv,    ExportFormat::jsonl,  ExportFormat::ntriples,
    ExportFormat::turtle,    ExportFormat::kgtk, ExportFormat::openke, ExportFormat::libkge, ExportFormat::pykeen};

Graph there_and_back(const Graph& graph, ExportFormat format) {
  const testing::TempDir folder;
  const std::string out = folder / "out";
  export_graph(graph, out, format);
  return import_graph({out}, import_source({out}), {}, {});
}

std::vector<std::string> statements_of(const Graph& graph, Split split) {
  std::vector<std::string> all;
  const auto triples = graph.triples(split);
  for (std::size_t i = 0; i < triples.size(); ++i)
    all.push_back(fmt::format("{} | {} | {} | {}", graph.entity_id(triples[i].head),
                              graph.relation_id(triples[i].relation), graph.entity_id(triples[i].tail),
                              graph.times(split).empty() ? 0 : graph.times(split)[i]));
  return all;
}

/// Of entities in a triple, as far as they have any.
void expect_same_texts(const Graph& a, const Graph& b) {
  for (EntityId e = 0; e < a.entities(); ++e) {
    const auto other = b.find_entity(a.entity_id(e));
    ASSERT_TRUE(other.has_value()) << a.entity_id(e);
    EXPECT_TRUE(!a.has_name(e) || a.entity_name(e) == b.entity_name(*other)) << a.entity_id(e);
    EXPECT_EQ(a.entity_description(e), b.entity_description(*other));
  }
  for (RelationId r = 0; r < a.relations(); ++r) {
    EXPECT_TRUE(!a.has_relation_text(r) || a.relation_text(r) == b.relation_text(*b.find_relation(a.relation_id(r))));
  }
}

void expect_there_and_back(const Graph& graph) {
  for (const ExportFormat format : kAll) {
    SCOPED_TRACE(static_cast<int>(format));
    if (format == ExportFormat::turtle && !reads_turtle()) continue;
    const Graph again = there_and_back(graph, format);
    for (const Split split : kSplits) EXPECT_EQ(statements_of(graph, split), statements_of(again, split));
    expect_same_texts(graph, again);
  }
}

TEST(ExportGraph, KeepsEveryTripleAndTextOfASmallGraphInEveryFormat) {
  expect_there_and_back(testing::SmallBenchmark().read());
}

TEST(ExportGraph, KeepsIdsAndTextsThatFormatsHaveToEscape) {
  testing::SmallBenchmark small;
  small.train =
      "a b\tr 1\t00260881\n\"q\"\tr 1\thttp://x.org/y%20z\n_:b1\tr|2\t'x'\nurn:hasa:a\tr "
      "1\t<angle>\n\xC3\xA9t\xC3\xA9\tr|2\ta%b\n";
  small.valid = "a b\tr|2\t\"q\"\n";
  small.test = "a b\tr 1\t\"q\"\n";
  small.entities = "a b\ta, \"b\"\tits 'text' | with \\ and \\n, \"quotes\"; all\n\"q\"\t\"q\"\t\xE4\xB8\xAD\n";
  small.relations = "r 1\thas \"quoted\"\nr|2\tbar | bar\n";
  expect_there_and_back(small.read());
}

/// Whatever a format might trip over: what quotes, escapes, separates, comments, or looks like an IRI, a blank node, a
/// number or a literal; control characters and characters of two to four bytes. No tabs and line ends.
std::string awkward_text(Rng& rng) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "Z",
                                                   "0",
                                                   " ",
                                                   "  ",
                                                   "\"",
                                                   "\"\"",
                                                   "'",
                                                   "\\",
                                                   "\\n",
                                                   "\\u0041",
                                                   "\\\"",
                                                   "<",
                                                   ">",
                                                   "|",
                                                   "\\|",
                                                   ",",
                                                   ";",
                                                   "%",
                                                   "%41",
                                                   "#",
                                                   "@",
                                                   "@en",
                                                   "^^",
                                                   "^",
                                                   "_:",
                                                   "_:b1",
                                                   ":",
                                                   ".",
                                                   "-",
                                                   "+",
                                                   "!",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   "(",
                                                   ")",
                                                   "=",
                                                   "&",
                                                   "?",
                                                   "/",
                                                   "http://x.org/",
                                                   "urn:hasa:",
                                                   "node1",
                                                   "label",
                                                   "head",
                                                   "id",
                                                   "\x01",
                                                   "\x0B",
                                                   "\x0C",
                                                   "\x08",
                                                   "\x1E",
                                                   "\x1F",
                                                   "\x7F",
                                                   "\xC2\x85",
                                                   "\xC2\xA0",
                                                   "\xC3\x97",
                                                   "\xC3\xA9",
                                                   "\xCC\x81",
                                                   "\xE2\x80\xA8",
                                                   "\xEF\xBB\xBF",
                                                   "\xEF\xBF\xBF",
                                                   "\xF0\x9F\x98\x80"};
  std::string text;
  for (std::uint64_t i = 1 + rng.below(4); i > 0; --i) text += kPieces[rng.below(kPieces.size())];
  return text;
}

TEST(ExportGraph, KeepsRandomIdsAndTextsOfAwkwardCharacters) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed, "awkward graphs");
    std::vector<std::string> ids, relations;
    for (int i = 0; i < 30; ++i) ids.push_back(awkward_text(rng));
    for (int i = 0; i < 4; ++i) relations.push_back(awkward_text(rng));
    std::string lines;
    for (int i = 0; i < 60; ++i)
      lines += nlohmann::json{{"head", ids[rng.below(ids.size())]},
                              {"relation", relations[rng.below(relations.size())]},
                              {"tail", ids[rng.below(ids.size())]}}
                   .dump() +
               "\n";
    for (const std::string& id : ids)
      lines +=
          nlohmann::json{{"entity", id}, {"name", awkward_text(rng)}, {"description", awkward_text(rng)}}.dump() + "\n";
    for (const std::string& id : relations)
      lines += nlohmann::json{{"relation", id}, {"text", awkward_text(rng)}}.dump() + "\n";
    ReadTriplesOptions options;
    options.split = {.valid = 0.2, .test = 0.2};
    expect_there_and_back(parse_triples({"t.jsonl", lines}, {}, options));
  }
}

TEST(ExportGraph, KeepsAnIdThatBeginsWithAByteOrderMark) {
  const std::string id = "\xEF\xBB\xBFx", relation = "\xEF\xBB\xBFr";
  testing::SmallBenchmark small;
  small.train = "a\tr\tb\n" + id + "\t" + relation + "\ta\n";
  small.valid = "\xEF\xBB\xBF" + id + "\tr\ta\n";  // the first mark is the file's
  small.test = "a\tr\t" + id + "\n";
  small.entities = "\xEF\xBB\xBF" + id + "\tits name\tits text\n";
  small.relations = "\xEF\xBB\xBF" + relation + "\tits words\n";
  const Graph graph = small.read();
  ASSERT_EQ(graph.entity_id(0), id);
  expect_there_and_back(graph);
}

TEST(ExportGraph, KeepsAGraphWithTrainingTriplesAlone) {
  const Graph graph = parse_triples({"t.tsv", "a\tr\tb\nb\tr\tc\n"});
  ASSERT_TRUE(graph.triples(Split::valid).empty() && graph.triples(Split::test).empty());
  expect_there_and_back(graph);
}

TEST(ExportGraph, KeepsLineBreaksWhereTheFormatCanAndRefusesIdsWhereItCannot) {
  const Graph graph = parse_triples({"t.csv", "\"a\nb\",r,c\nc,r,\"a\nb\"\nc,r,c\n"});
  for (const ExportFormat format :
       {ExportFormat::tsv, ExportFormat::openke, ExportFormat::libkge, ExportFormat::pykeen, ExportFormat::benchmark}) {
    const testing::TempDir folder;
    EXPECT_ERROR(export_graph(graph, folder / "out", format), "contains a tab or a line break");
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  }
}

TEST(ExportGraph, KeepsTimesWhereTheFormatHasAPlaceForThem) {
  ReadTriplesOptions options;
  options.as.fields.columns = "1,2,3,4";
  options.split = {.kind = SplitKind::time, .valid = 0.3, .test = 0.3};
  const Graph graph = parse_triples({"t.tsv", "a\tr\tb\t3\nb\tr\ta\t1\na\tr\ta\t2\nb\tr\tb\t-4\n"}, {}, options);
  for (const ExportFormat format : {ExportFormat::tsv, ExportFormat::csv, ExportFormat::jsonl})
    EXPECT_EQ(statements_of(there_and_back(graph, format), Split::test), statements_of(graph, Split::test));
}

TEST(ExportGraph, LeavesWhatIsThereAlone) {
  const testing::TempDir folder;
  write_file(folder / "mine", "keep me");
  EXPECT_ERROR(export_graph(testing::SmallBenchmark().read(), folder.path(), ExportFormat::csv), "it was left alone");
  EXPECT_ERROR(export_format_of("xml"), "there is no format xml; expected one of benchmark, tsv");
}

TEST(ExportGraph, NumbersStayInFoldersOfNumbers) {
  const Graph graph = testing::SmallBenchmark().read();
  for (const ExportFormat format : {ExportFormat::openke, ExportFormat::libkge, ExportFormat::pykeen})
    EXPECT_EQ(there_and_back(graph, format).content_hash(), graph.content_hash());
}

}  // namespace
}  // namespace hasa
