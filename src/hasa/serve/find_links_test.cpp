#include "hasa/serve/find_links.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/serve/link_file.h"

namespace hasa {
namespace {

using testing::SmallBenchmark;

TEST(Likelier, GoesByProbabilityThenByScoreThenByTriple) {
  const LikelyLink sure{{3, 0, 1}, 1, .9}, unsure{{0, 0, 1}, 5, .2}, higher{{4, 0, 1}, 6, .2}, none{{0, 0, 0}, 9, {}};
  EXPECT_TRUE(likelier(sure, unsure));
  EXPECT_TRUE(likelier(higher, unsure));
  EXPECT_TRUE(likelier(unsure, none));
  EXPECT_TRUE(likelier({{0, 0, 1}, 1, .5}, {{0, 0, 2}, 1, .5}));
  EXPECT_FALSE(likelier(sure, sure));
}

struct LinksOfSmallGraph {
  Graph graph = SmallBenchmark().read();
  KnownLinks known{graph};
  LiveState state{graph, known};
  std::vector<LikelyLink> links = {{{2, 0, 0}, 1.5F, .75}, {{3, 1, 1}, -2, {}}};
};

TEST(LinkFile, OfTsvHasIdsAndEmptyFieldsWhereThereIsNoProbability) {
  const LinksOfSmallGraph small;
  EXPECT_EQ(to_text(small.links, small.state, LinkFormat::tsv),
            "head\trelation\ttail\tprobability\tscore\n" + std::string(small.graph.entity_id(2)) + "\thypernym\t" +
                std::string(small.graph.entity_id(0)) + "\t0.75\t1.5\n" + std::string(small.graph.entity_id(3)) +
                "\tpart_of\t" + std::string(small.graph.entity_id(1)) + "\t\t-2\n");
}

TEST(LinkFile, OfJsonLinesHasNamesToo) {
  const LinksOfSmallGraph small;
  const std::string text = to_text(small.links, small.state, LinkFormat::jsonl);
  EXPECT_THAT(text, ::testing::HasSubstr("\"name\":\"" + std::string(small.graph.entity_name(2)) + "\""));
  EXPECT_THAT(text, ::testing::HasSubstr("\"probability\":null,\"score\":-2.0}"));
}

TEST(LinkFile, OfNTriplesStatesWithoutAsserting) {
  const LinksOfSmallGraph small;
  const std::string text = to_text(small.links, small.state, LinkFormat::ntriples);
  EXPECT_THAT(text, ::testing::StartsWith("_:prediction1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
                                          "<http://www.w3.org/1999/02/22-rdf-syntax-ns#Statement> .\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("_:prediction2 <urn:hasa:confidence> "
                                         "\"-2\"^^<http://www.w3.org/2001/XMLSchema#double> .\n"));
}

TEST(LinkFile, IsOfAFormatThatItsNameTells) {
  EXPECT_EQ(link_format_of("a/b.nt"), LinkFormat::ntriples);
  EXPECT_ERROR(link_format_of("a.csv"), "expected .tsv, .jsonl or .nt");
}

}  // namespace
}  // namespace hasa
