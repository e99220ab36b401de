#include "hasa/kg/read/ntriples.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

/// Triples as "head relation tail" and texts as "subject=text", and what went wrong.
struct Parsed {
  Statements statements;
  std::vector<std::string> triples, texts;
  std::vector<std::string> problems;

  explicit Parsed(std::string_view content, std::vector<std::string> languages = {"en"}, std::string_view scope = "") {
    const RdfTexts texts_of(std::move(languages));
    parse_ntriples(content, texts_of, scope, statements);
    for (const Triple& t : statements.triples)
      triples.push_back(fmt::format("{} {} {}", statements.entities[t.head], statements.relations[t.relation],
                                    statements.entities[t.tail]));
    for (const TextStatement& text : statements.texts)
      texts.push_back(fmt::format("{}={}", statements.entities[text.subject], text.text));
    problems = statements.problems.settle(BadLines::skip).examples;
  }
};

TEST(NTriples, AreNodesBetweenBracketsAndBlankNodes) {
  const Parsed read(
      "<http://a> <http://r> <http://b> .\n"
      "_:x <http://r> _:y.\r\n"
      "  <http://a>\t<http://r>\t_:x.1 <http://graph> . # a quad\n"
      "# a comment\n\n"
      "<http://a><http://r><http://c>.");
  EXPECT_THAT(read.triples, ElementsAre("http://a http://r http://b", "_:x http://r _:y", "http://a http://r _:x.1",
                                        "http://a http://r http://c"));
  EXPECT_EQ(read.statements.lines, 6U);
  EXPECT_THAT(read.problems, ElementsAre());
}

TEST(NTriples, DecodeEscapesInIrisAndTexts) {
  const Parsed read(
      "<http://a/\\u00E9> <http://r> <http://\\U0001F600> .\n"
      "<http://a> <http://www.w3.org/2000/01/rdf-schema#label> \"a \\\"b\\\" \\\\ \\u00e9\\n\"@en .\n");
  EXPECT_THAT(read.triples, ElementsAre("http://a/\xC3\xA9 http://r http://\xF0\x9F\x98\x80"));
  EXPECT_THAT(read.texts, ElementsAre("http://a=a \"b\" \\ \xC3\xA9\n"));
}

TEST(NTriples, LeaveValuesOutThatAreNoTextsAndCountThem) {
  const Parsed read("<http://a> <http://born> \"1952\"^^<http://www.w3.org/2001/XMLSchema#gYear> .\n");
  EXPECT_THAT(read.triples, ElementsAre());
  EXPECT_EQ(read.statements.left_out.count, 1U);
  EXPECT_THAT(read.statements.left_out.examples, ElementsAre("http://a http://born \"1952\""));
}

TEST(NTriples, SayWhereALineStopsMakingSense) {
  EXPECT_THAT(Parsed("<http://a> <http://r> <http://b>\n").problems,
              ElementsAre(":1:33: expected the full stop that ends a statement, found the end of the line"));
  EXPECT_THAT(Parsed("<http://a> \"r\" <http://b> .\n").problems,
              ElementsAre(":1:12: expected a predicate: <IRI>, found \"\"r\" <http://b> .\""));
  EXPECT_THAT(Parsed("<a> <http://r> <http://b> .").problems,
              ElementsAre(::testing::HasSubstr(":1:2: expected an absolute IRI")));
  EXPECT_THAT(Parsed("\n<http://a> <http://r> \"open .\n").problems,
              ElementsAre(::testing::HasSubstr(":2:23: expected a \" that closes the text")));
  EXPECT_THAT(
      Parsed("<http://a b> <http://r> <http://b> .").problems,
      ElementsAre(::testing::HasSubstr(":1:10: expected an IRI without spaces, quotes, < and control characters")));
  EXPECT_THAT(Parsed("<http://\\uD800> <http://r> <http://b> .").problems,
              ElementsAre(::testing::HasSubstr("the number of a Unicode character")));
  EXPECT_THAT(Parsed("<< <http://a> <http://r> <http://b> >> <http://r> <http://b> .").problems,
              ElementsAre(::testing::HasSubstr("statements about statements")));
  EXPECT_THAT(Parsed("<http://\xFF> <http://r> <http://b> .").problems,
              ElementsAre(::testing::HasSubstr("found byte 0xFF at byte 9")));
}

TEST(NTriples, TellBlankNodesOfOneFileFromThoseOfAnother) {
  EXPECT_THAT(Parsed("_:x <http://r> _:y .", {}, "f2-").triples, ElementsAre("_:f2-x http://r _:f2-y"));
}

TEST(NTriples, RankTextsByLanguageThenByProperty) {
  const RdfTexts texts({"de", "en"});
  const auto rank = [&](const char* property, const char* language) {
    return texts.use_of(property, language).value().rank;
  };
  const char* label = "http://www.w3.org/2000/01/rdf-schema#label";
  const char* preferred = "http://www.w3.org/2004/02/skos/core#prefLabel";
  EXPECT_LT(rank(label, "de"), rank(preferred, "DE"));
  EXPECT_LT(rank(preferred, "de"), rank(label, "de-AT"));
  EXPECT_LT(rank(label, "de-AT"), rank(label, "en"));
  EXPECT_LT(rank(label, "en"), rank(label, ""));
  EXPECT_LT(rank(label, ""), rank(label, "fr"));
  EXPECT_EQ(rank(label, "fr"), rank(label, "den"));
  EXPECT_FALSE(texts.use_of("http://other", "de").has_value());
}

TEST(NTriples, TakeBackIdsThatAnExportWrapped) {
  EXPECT_THAT(Parsed("<urn:hasa:plus%201> <urn:hasa:r> <urn:hasa:%FF> .").triples,
              ElementsAre("plus 1 r urn:hasa:%FF"));
}

}  // namespace
}  // namespace hasa
