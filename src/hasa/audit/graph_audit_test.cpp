#include "hasa/audit/graph_audit.h"

#include <nlohmann/json.hpp>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A graph with nothing odd about it but a small test: 30 entities in a ring, steps of two kinds, texts that differ.
/// Each test spoils it in one way.
struct CleanGraph {
  std::string train, valid, test, entities, relations = "plus_1\tone further\nplus_2\ttwo further\n";
  std::vector<std::string> words = {"amber",  "basalt", "cedar",  "delta",  "ember",  "fjord", "garnet", "heath",
                                    "islet",  "jetty",  "karst",  "lagoon", "marsh",  "nacre", "oxbow",  "plain",
                                    "quartz", "reef",   "steppe", "tundra", "upland", "vale",  "wharf",  "xyst",
                                    "yards",  "zephyr", "alcove", "bluff",  "crag",   "dune"};

  CleanGraph() {
    for (int i = 0; i < 30; ++i) {
      std::string& two = i % 15 == 7 ? valid : i % 15 == 3 ? test : train;
      add(train, i, "plus_1", (i + 1) % 30);
      add(two, i, "plus_2", (i + 2) % 30);
      // Words of its own, so that no two texts share three in a row.
      describe(i, fmt::format("a {0}y thing of the {1} kind near some {2}ish water", letter(i), letter(i + 3),
                              letter(i + 7)));
    }
  }
  static std::string letter(int i) {
    return fmt::format("{}{}", static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26));
  }
  static void add(std::string& split, int head, const std::string& relation, int tail) {
    split += fmt::format("e{}\t{}\te{}\n", head, relation, tail);
  }
  void describe(int entity, const std::string& text) {
    entities += fmt::format("e{}\t{}\t{}.\n", entity, words[static_cast<std::size_t>(entity)], text);
  }
  GraphAudit audit() const {
    return audit_graph(parse_benchmark({"benchmark clean",
                                        {"train.txt", train},
                                        {"valid.txt", valid},
                                        {"test.txt", test},
                                        NamedText{"entities.tsv", entities},
                                        NamedText{"relations.tsv", relations}}));
  }
};

/// The keys of all findings but those the clean graph has: its test is small, and linked by way of a third entity only.
std::vector<std::string> odd(const GraphAudit& audit) {
  std::vector<std::string> keys;
  for (const AuditFinding& finding : audit.findings) {
    if (finding.key != "small_test" && finding.key != "trivial_rule" && finding.key != "one_relation")
      keys.push_back(finding.key);
  }
  return keys;
}

const AuditFinding& finding(const GraphAudit& audit, const std::string& key) {
  const auto found =
      std::find_if(audit.findings.begin(), audit.findings.end(), [&](const AuditFinding& f) { return f.key == key; });
  if (found != audit.findings.end()) return *found;
  static const AuditFinding none;
  ADD_FAILURE() << "no finding " << key;
  return none;
}

TEST(GraphAudit, FindsNothingOddInACleanGraph) { EXPECT_THAT(odd(CleanGraph().audit()), ElementsAre()); }

TEST(GraphAudit, FindsReversedTestTriplesAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.test, 5, "plus_1", 4);
  const GraphAudit audit = graph.audit();
  EXPECT_THAT(odd(audit), ElementsAre("reversed", "linked_pairs"));
  EXPECT_EQ(finding(audit, "reversed").count, 1U);
  EXPECT_DOUBLE_EQ(finding(audit, "reversed").of_queries, 1.0 / 3);
}

TEST(GraphAudit, FindsInverseRelationsAndWhatTheyGiveAway) {
  CleanGraph graph;
  graph.relations += "minus_1\tone back\n";
  for (int i = 0; i < 30; ++i) CleanGraph::add(i == 6 ? graph.test : graph.train, (i + 1) % 30, "minus_1", i);
  const GraphAudit audit = graph.audit();
  const AuditFinding& found = finding(audit, "inverse_relations");
  EXPECT_EQ(found.effect, AuditFinding::Effect::raises);
  EXPECT_DOUBLE_EQ(found.of_queries, 1.0 / 3);
  EXPECT_THAT(found.examples.at(0),
              HasSubstr("plus_1 turned round is minus_1 in 97% of its training triples; gives away 1"));
}

TEST(GraphAudit, FindsEquivalentRelations) {
  CleanGraph graph;
  graph.relations += "next\tthe next\n";
  for (int i = 0; i < 30; ++i) CleanGraph::add(graph.train, i, "next", (i + 1) % 30);
  EXPECT_EQ(finding(graph.audit(), "equivalent_relations").count, 2U);  // each implies the other
}

TEST(GraphAudit, FindsSymmetricRelations) {
  CleanGraph graph;
  graph.relations += "beside\tstands beside\n";
  for (int i = 0; i < 30; i += 3) {
    CleanGraph::add(graph.train, i, "beside", (i + 11) % 30);
    CleanGraph::add(graph.train, (i + 11) % 30, "beside", i);
  }
  EXPECT_THAT(odd(graph.audit()), ElementsAre("linked_pairs", "symmetric_relations"));
}

TEST(GraphAudit, FindsCartesianRelations) {
  CleanGraph graph;
  graph.relations += "all\tany to any\n";
  for (int head = 0; head < 4; ++head) {
    for (int tail = 20; tail < 24; ++tail) CleanGraph::add(graph.train, head, "all", tail);
  }
  EXPECT_THAT(finding(graph.audit(), "cartesian_relations").examples, ElementsAre("all links 16 of 4 heads x 4 tails"));
}

TEST(GraphAudit, FindsWhatTrainingNeverSees) {
  CleanGraph graph;
  graph.test += "stranger\tplus_1\te4\n";
  graph.entities += "stranger\tunknown\tsomebody whom nobody ever met before.\n";
  const GraphAudit audit = graph.audit();
  EXPECT_THAT(odd(audit), ElementsAre("unseen_entities"));
  EXPECT_DOUBLE_EQ(finding(audit, "unseen_entities").of_queries, 1.0 / 3);
}

TEST(GraphAudit, FindsTriplesOfTwoSplits) {
  CleanGraph graph;
  CleanGraph::add(graph.test, 4, "plus_1", 5);
  EXPECT_DOUBLE_EQ(finding(graph.audit(), "leaked").of_queries, 1.0 / 3);
}

TEST(GraphAudit, FindsPartsThatNoPathJoins) {
  CleanGraph graph;
  graph.train += "far\tplus_1\taway\n";
  graph.test += "far\tplus_2\te1\n";
  graph.entities += "far\tfar\tbeyond all hills and seas.\naway\taway\tnot at home this week.\n";
  const GraphAudit audit = graph.audit();
  EXPECT_THAT(odd(audit), ElementsAre("apart"));
  EXPECT_EQ(audit.shape.components, 2U);
  EXPECT_EQ(audit.shape.largest, 30U);
}

TEST(GraphAudit, FindsTextsThatAreTheSameAndNearlyTheSame) {
  CleanGraph same;
  same.entities = std::string();
  for (int i = 0; i < 30; ++i)
    same.describe(i, i < 2 ? "one and the same text" : fmt::format("text {0}a {0}b {0}c {0}d", CleanGraph::letter(i)));
  EXPECT_THAT(odd(same.audit()), ElementsAre("alike_texts"));
  const std::string base = "a long text of many words that goes on and on until in the end there is no more to say";
  EXPECT_GT(text_overlap(base, base + " here"), 0.8);
  EXPECT_LT(text_overlap(base, "quite another text that shares no three words in a row"), 0.1);
}

TEST(GraphAudit, FindsAnAnswerNamedInTheTextOfTheQuery) {
  CleanGraph graph;
  graph.entities.clear();
  for (int i = 0; i < 30; ++i)
    graph.describe(i, i == 3 ? "stands before the Fjord" : fmt::format("thing {0}a {0}b {0}c", CleanGraph::letter(i)));
  const GraphAudit audit = graph.audit();
  EXPECT_THAT(odd(audit), ElementsAre("answer_in_text"));  // e3 plus_2 e5, the fjord, is in test
  EXPECT_DOUBLE_EQ(finding(audit, "answer_in_text").of_queries, 0.25);
}

TEST(GraphAudit, FindsTextsCutAtOneLength) {
  CleanGraph graph;
  graph.entities.clear();
  for (int i = 0; i < 30; ++i) {
    std::string text = fmt::format("{0} tells of {0}a and {0}b and of {0}c which", CleanGraph::letter(i));
    text.resize(32, 'x');
    graph.entities += fmt::format("e{}\t{}\t{}\n", i, graph.words[static_cast<std::size_t>(i)], text);
  }
  const GraphAudit audit = graph.audit();
  EXPECT_THAT(odd(audit), ElementsAre("truncated_texts"));
  EXPECT_THAT(finding(audit, "truncated_texts").title, HasSubstr("most at 32 characters"));
}

TEST(GraphAudit, FindsMissingTextsSharedNamesAndIdleEntities) {
  CleanGraph graph;
  graph.entities.clear();
  for (int i = 3; i < 30; ++i) graph.describe(i, fmt::format("thing {0}a {0}b {0}c", CleanGraph::letter(i)));
  graph.entities += "idle\tamber\tin no triple at all.\nidle2\tamber\tin no triple either here.\n";
  EXPECT_THAT(odd(graph.audit()), ::testing::UnorderedElementsAre("without_text", "shared_names", "isolated"));
}

TEST(GraphAudit, ScoresRulesAgainstRanksCountedByHand) {
  // r leads to b four times of five in training: asked (x, r, ?), b comes first, c second.
  const GraphAudit audit = audit_graph(parse_benchmark({"benchmark rules",
                                                        {"train.txt", "a\tr\tb\nc\tr\tb\nd\tr\tb\ne\tr\tb\nf\tr\tc\n"},
                                                        {"valid.txt", "a\tr\td\n"},
                                                        {"test.txt", "f\tr\tb\n"},
                                                        {},
                                                        {}}));
  ASSERT_EQ(audit.trivial.size(), 2U);  // no texts, so no nearest text
  // (f, r, ?): c is filtered, b first: rank 1. (?, r, b): a, c, d, e are filtered, f is the head once: rank 1.
  EXPECT_DOUBLE_EQ(audit.trivial[0].mrr, 1.0);
  // Nothing links f and b: (f, r, ?) has 6 entities, c is filtered: mean rank of 5 ties is 3. (?, r, b): a, c, d, e
  // are filtered: 2 left, 1.5.
  EXPECT_DOUBLE_EQ(audit.trivial[1].mrr, (1.0 / 3 + 1.0 / 1.5) / 2);
}

TEST(GraphAudit, WritesWhatItFoundAsJsonLinesAndAPage) {
  CleanGraph graph;
  CleanGraph::add(graph.test, 5, "plus_1", 4);
  graph.entities += "<b>\t<script>alert(1)</script>\tidle.\n";
  const GraphAudit audit = graph.audit();
  const auto json = nlohmann::json::parse(to_json(audit));
  EXPECT_EQ(json["linked_in_training"]["test"]["triples"], 1);
  EXPECT_EQ(json["findings"].size(), audit.findings.size());
  EXPECT_EQ(json["by_relation"][0]["cardinality"], "1-1");
  EXPECT_THAT(to_table(audit),
              HasSubstr("1 of 3 test triples are training triples of the same\n  relation turned round\n"));
  const std::string page = to_html(audit);
  EXPECT_THAT(page, HasSubstr("Audit of benchmark clean"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("<script>alert")));
}

TEST(GraphAudit, StatesTheKnownLeaksOfTheBenchmarks) {
  HASA_NEEDS_FOLDER(data, "HASA_DATA");
  const Graph wordnet = read_benchmark(data / "WN18RR");
  EXPECT_EQ(wordnet.audit().reversed.count, 1086U);
  EXPECT_EQ(wordnet.audit().unseen_test_entities.count, 209U);
  const LinkedPairs linked = count_linked_pairs(wordnet, TrainPairs(wordnet))[2];
  EXPECT_NEAR(linked.fraction(), 0.35, 0.005);
  const Graph freebase = read_benchmark(data / "FB15k-237");
  EXPECT_EQ(freebase.audit().unseen_test_entities.count, 29U);
  EXPECT_EQ(count_linked_pairs(freebase, TrainPairs(freebase))[2].linked, 0U);
}

}  // namespace
}  // namespace hasa
