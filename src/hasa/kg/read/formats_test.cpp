// Whole graphs from files of each format: what the readers make of them together.

#include <fstream>

#include "hasa/base/testing.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/import_graph.h"
#include "hasa/kg/read/turtle.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<std::string> triples_of(const Graph& graph) {
  std::vector<std::string> all;
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split))
      all.push_back(
          fmt::format("{} {} {}", graph.entity_id(t.head), graph.relation_id(t.relation), graph.entity_id(t.tail)));
  }
  return all;
}

Graph from_one(const std::string& name, std::string_view content, ReadTriplesOptions options = {}) {
  options.split.valid = options.split.test = 0;
  return parse_triples({name, content}, {}, options);
}

TEST(Formats, JsonLinesHoldTriplesAndTexts) {
  const Graph graph = from_one("t.jsonl",
                               "{\"head\": \"dog\", \"relation\": \"is\", \"tail\": 7}\n\n"
                               "{\"entity\": \"dog\", \"name\": \"Dog\", \"description\": \"it \\\"barks\\\"\"}\n"
                               "{\"relation\": \"is\", \"text\": \"is a\"}\n"
                               "{\"subject\": \"cat\", \"predicate\": \"is\", \"object\": \"dog\", \"weight\": 3}\n"
                               "{\"id\": \"stranger\", \"name\": \"nobody\"}\n");
  EXPECT_THAT(triples_of(graph), ElementsAre("dog is 7", "cat is dog"));
  EXPECT_EQ(graph.entity_name(0), "Dog");
  EXPECT_EQ(graph.entity_description(0), "it \"barks\"");
  EXPECT_EQ(graph.relation_text(0), "is a");
  EXPECT_THAT(graph.audit().unused_texts.examples, ElementsAre("stranger"));
}

TEST(Formats, JsonLinesSayWhatIsWrongWithALine) {
  const auto problem = [](const char* line) {
    try {
      from_one("t.jsonl", line);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(problem("{\"head\": \"a\"}\n"),
              HasSubstr("t.jsonl:1: expected head, relation and tail, found no relation"));
  EXPECT_THAT(problem("{\"head\": \"a\", \"relation\": \"\", \"tail\": \"b\"}\n"),
              HasSubstr("relation not to be empty"));
  EXPECT_THAT(problem("1\n"), HasSubstr("t.jsonl:1: expected a JSON object"));
  EXPECT_THAT(problem("[{\"head\": 1}]\n"), HasSubstr("t.jsonl is a JSON array, expected JSON Lines"));
  EXPECT_THAT(problem("\n{\"head\": }\n"),
              HasSubstr("t.jsonl:2:10: expected a JSON object, found one that does not parse"));
}

TEST(Formats, RdfGivesTextsInTheLanguageAskedFor) {
  const std::string content =
      "<http://x/dog> <http://www.w3.org/2000/01/rdf-schema#label> \"Hund\"@de .\n"
      "<http://x/dog> <http://www.w3.org/2000/01/rdf-schema#label> \"dog\"@en .\n"
      "<http://x/dog> <http://schema.org/description> \"it barks\"@en .\n"
      "<http://x/dog> <http://x/is> <http://x/animal> .\n"
      "<http://x/is> <http://www.w3.org/2000/01/rdf-schema#label> \"is a\" .\n"
      "<http://x/dog> <http://x/legs> \"4\" .\n";
  const Graph english = from_one("t.nt", content);
  EXPECT_THAT(triples_of(english), ElementsAre("http://x/dog http://x/is http://x/animal"));
  EXPECT_EQ(english.entity_name(0), "dog");
  EXPECT_EQ(english.entity_description(0), "it barks");
  EXPECT_EQ(english.relation_text(0), "is a");
  EXPECT_EQ(english.entity_name(1), "animal");  // no label: shortened for display
  EXPECT_EQ(english.audit().named_after_iri.count, 1U);
  EXPECT_EQ(english.audit().left_out.count, 1U);
  ReadTriplesOptions german;
  german.as.languages = {"de", "en"};
  EXPECT_EQ(from_one("t.nt", content, german).entity_name(0), "Hund");
}

TEST(Formats, TurtleIsReadWithItsPrefixes) {
  if (!reads_turtle()) GTEST_SKIP() << "built without serd";
  const Graph graph =
      from_one("t.ttl",
               "@prefix ex: <http://example.org/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
               "ex:dog ex:is ex:animal ; ex:has [ ex:is ex:tail ], ex:nose ; rdfs:label \"Dog\"@en .\n");
  EXPECT_EQ(triples_of(graph).size(), 4U);
  EXPECT_EQ(graph.entity_name(*graph.find_entity("http://example.org/dog")), "Dog");
  EXPECT_EQ(graph.entity_name(*graph.find_entity("http://example.org/nose")), "ex:nose");
  EXPECT_EQ(graph.relation_text(*graph.find_relation("http://example.org/has")), "ex:has");
  EXPECT_ERROR(from_one("t.ttl", "@prefix ex: <http://e/> .\nex:a ex:b ex:c\nex:d ex:e ex:f .\n"), "t.ttl:3:");
  EXPECT_ERROR(from_one("t.ttl", "<a> <b> <c> .\n"), "relative");
  EXPECT_ERROR(from_one("t.ttl", "@prefix ex: <http://e/> .\nex:a ex:b ex:c .\nex:a other:b ex:c .\n"),
               "t.ttl: the prefix of other:b is not declared; a line \"@prefix other: <...> .\" before it does");
}

TEST(Formats, KgtkValuesAreTextsSymbolsOrLeftOut) {
  const Graph graph = from_one("t.tsv",
                               "id\tnode1\tlabel\tnode2\nE1\tQ1\tP31\tQ2\nE2\tQ1\tlabel\t'the \\'one\\''@en\n"
                               "E3\tQ1\tdescription\t\"first\\|second\"\nE4\tQ1\tP569\t^1952-01-01T00:00:00Z/11\n");
  EXPECT_THAT(triples_of(graph), ElementsAre("Q1 P31 Q2"));
  EXPECT_EQ(graph.entity_name(0), "the 'one'");
  EXPECT_EQ(graph.entity_description(0), "first|second");
  EXPECT_EQ(graph.audit().left_out.count, 1U);
}

TEST(Formats, ColumnsOfAHeaderMayStandInAnyOrder) {
  const Graph graph = from_one("t.csv", "tail;weight;head;relation\nb;1;a;r\n\n");
  EXPECT_THAT(triples_of(graph), ElementsAre("a r b"));
  EXPECT_ERROR(from_one("t.csv", "tail;weight;head;relation\nb;1;;r\n"), "t.csv:2:1: expected a head in column 3");
}

TEST(Formats, TimesStayWithTheirTriples) {
  ReadTriplesOptions options;
  options.split.valid = 0;
  options.split.test = 0.5;
  options.split.kind = SplitKind::time;
  const Graph graph = parse_triples(
      {"t.tsv", "a\tr\tb\t2014-05-02\nb\tr\ta\t2014-05-01\na\tr\ta\t2014-04-30\nb\tr\tb\t2014-05-03T12:00:00\n"}, {},
      options);
  ASSERT_EQ(graph.times(Split::test).size(), 2U);
  EXPECT_EQ(graph.times(Split::test)[0], 1398988800);  // 2014-05-02 in seconds since 1970
  EXPECT_EQ(graph.times(Split::train).size(), 2U);
  EXPECT_ERROR(parse_triples({"t.tsv", "a\tr\tb\t2014-05-02\nb\tr\ta\t2014-13-01\n"}, {},
                             {.as = {.fields = {.columns = "1,2,3,4"}}}),
               "t.tsv:2: expected a date, as 2014-05-01 in column 4, found \"2014-13-01\"");
}

TEST(Formats, BlankLinesMeanNothing) {
  EXPECT_EQ(from_one("t.tsv", "a\tr\tb\n\nb\tr\ta\n\n  \n").triples(Split::train).size(), 2U);
}

TEST(Formats, SeveralFilesAreOneGraphWithBlankNodesApart) {
  const testing::TempDir folder;
  std::ofstream(folder / "a.nt") << "_:x <http://r> <http://b> .\n";
  std::ofstream(folder / "b.nt") << "_:x <http://r> <http://b> .\n";
  std::ofstream(folder / "c.tsv") << "http://b\thttp://r\thttp://c\n";
  ReadTriplesOptions options;
  options.split.valid = options.split.test = 0;
  const Graph graph = read_triples({folder / "a.nt", folder / "b.nt", folder / "c.tsv"}, {}, options);
  EXPECT_THAT(triples_of(graph),
              ElementsAre("_:f1-x http://r http://b", "_:f2-x http://r http://b", "http://b http://r http://c"));
  EXPECT_EQ(graph.audit().source, "triples a.nt and 2 more");
}

TEST(Formats, SomeBadLinesAreAllowedAndNoMore) {
  ReadTriplesOptions options;
  options.import.bad_lines = {1};
  EXPECT_EQ(from_one("t.tsv", "a\tr\tb\nbad\n", options).audit().bad_lines.count, 1U);
  EXPECT_ERROR(from_one("t.tsv", "a\tr\tb\nbad\nbad\n", options),
               "that is more than the 1 malformed lines allowed; nothing was imported");
  EXPECT_ERROR(bad_lines_of("some"), "expected fail, skip, or how many are allowed");
}

TEST(Formats, ALineOfAnotherSeparatorIsToldWhatToDo) {
  EXPECT_ERROR(
      from_one("t.tsv", "a\tr\tb\nc,r,d\ne\tr\tf\n"),
      "t.tsv:2:6: expected head, relation and tail separated by tabs, found 1 field: \"c,r,d\"; --separator ',' "
      "would read it");
}

TEST(Formats, ReadTheSameWhateverTheThreadsAndPieces) {
  // Ids long enough that the file is read in a dozen pieces, and a bad line near its end.
  std::string content;
  const std::string padding(60, 'x');
  for (int i = 0; i < 60'000; ++i)
    content += fmt::format("<http://{0}{1}> <http://r{2}> <http://{0}{3}> .\n", padding, i % 9973, i % 7, i % 4999);
  content += "bad\n";
  ReadTriplesOptions options;
  options.import.bad_lines = BadLines::skip;
  set_thread_count(1);
  const Graph alone = from_one("t.nt", content, options);
  set_thread_count(5);
  const Graph together = from_one("t.nt", content, options);
  set_thread_count(0);
  EXPECT_EQ(alone.content_hash(), together.content_hash());
  EXPECT_GT(alone.triples(Split::train).size(), 50'000U);
  EXPECT_THAT(together.audit().bad_lines.examples, ElementsAre(HasSubstr("t.nt:60001:1: expected a subject")));
}

TEST(Formats, AreToldByNameAndByTheFirstLines) {
  EXPECT_EQ(format_by_name("a.NT.gz"), InputFormat::ntriples);
  EXPECT_EQ(format_by_name("a.txt"), InputFormat::automatic);
  EXPECT_EQ(format_by_look("# comment\n<http://a> <http://b> <http://c> .\n"), InputFormat::ntriples);
  EXPECT_EQ(format_by_look("@prefix a: <http://a> .\n"), InputFormat::turtle);
  EXPECT_EQ(format_by_look("{\"head\": 1}\n"), InputFormat::jsonl);
  EXPECT_EQ(format_by_look("a\tb\tc\n"), InputFormat::tsv);
  EXPECT_ERROR(input_format_of("xml"), "there is no format xml; expected one of auto, tsv");
}

}  // namespace
}  // namespace hasa
