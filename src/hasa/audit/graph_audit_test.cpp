#include "hasa/audit/graph_audit.h"

#include <nlohmann/json.hpp>
#include <set>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Effect = AuditFinding::Effect;

constexpr int kEntities = 300;
constexpr int kTest = 1000;  // 2,000 queries: fewer make a small test

/// A graph in which the audit finds nothing: 300 entities on a ring, and random links between them of three relations,
/// as many of each in every split. Each test spoils it in one way.
struct CleanGraph {
  std::string train, valid, test, entities, relations = "north\tlies north of\neast\tlies east of\nnear\tlies near\n";
  int test_triples = 0;
  ImportOptions options;

  CleanGraph() : CleanGraph(kTest) {}
  explicit CleanGraph(int test_size) {
    for (int i = 0; i < kEntities; ++i) {
      add(train, i, relation(i), (i + 1) % kEntities);
      describe(i, text(i));
    }
    Rng rng(1, "clean graph");
    std::set<std::pair<int, int>> taken;
    const auto add_random = [&](std::string& split, int size) {
      for (int i = 0; i < size;) {
        const auto head = static_cast<int>(rng.below(kEntities)), tail = static_cast<int>(rng.below(kEntities));
        const bool near_on_ring = std::abs(head - tail) <= 1 || std::abs(head - tail) == kEntities - 1;
        if (near_on_ring || !taken.insert(std::minmax(head, tail)).second) continue;
        add(split, head, relation(i++), tail);
      }
    };
    add_random(train, 2000);
    add_random(valid, 100);
    add_random(test, test_size);
  }

  static std::string relation(int i) { return i % 3 == 0 ? "north" : i % 3 == 1 ? "east" : "near"; }
  static void add(std::string& split, const std::string& head, const std::string& relation, const std::string& tail) {
    split += fmt::format("{}\t{}\t{}\n", head, relation, tail);
  }
  static void add(std::string& split, int head, const std::string& relation, int tail) {
    add(split, fmt::format("e{}", head), relation, fmt::format("e{}", tail));
  }
  /// A word of its own for each entity and place, so that no two texts share three in a row.
  static std::string word(int i, char place) {
    return fmt::format("{}{}{}{}", place, static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26), place);
  }
  static std::string name(int i) { return "place " + word(i, 'n'); }
  static std::string text(int i) {
    return fmt::format("a {} kind of {} with its {}.", word(i, 'x'), word(i, 'y'), word(i, 'z'));
  }
  void describe(int entity, const std::string& text) {
    entities += fmt::format("e{}\t{}\t{}\n", entity, name(entity), text);
  }
  /// Gives every entity another text.
  template <class TextOf>
  void describe_all(const TextOf& text_of) {
    entities.clear();
    for (int i = 0; i < kEntities; ++i) describe(i, text_of(i));
  }
  GraphAudit audit() const {
    return audit_graph(parse_benchmark({"benchmark clean",
                                        {"train.txt", train},
                                        {"valid.txt", valid},
                                        {"test.txt", test},
                                        NamedText{"entities.tsv", entities},
                                        NamedText{"relations.tsv", relations}},
                                       options));
  }
};

std::vector<std::string> keys_of(const GraphAudit& audit) {
  std::vector<std::string> keys;
  for (const AuditFinding& finding : audit.findings) keys.push_back(finding.key);
  return keys;
}

/// The one finding of a graph that was spoiled in one way.
AuditFinding only_finding(const CleanGraph& graph, const std::string& key) {
  const GraphAudit audit = graph.audit();
  EXPECT_THAT(keys_of(audit), ElementsAre(key));
  return audit.findings.empty() ? AuditFinding() : audit.findings[0];
}

TEST(GraphAudit, FindsNothingInACleanGraph) { EXPECT_THAT(keys_of(CleanGraph().audit()), ElementsAre()); }

TEST(GraphAudit, FindsReversedTestTriplesAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.test, 5, CleanGraph::relation(4), 4);
  const AuditFinding found = only_finding(graph, "reversed");
  EXPECT_EQ(found.count, 1U);
  EXPECT_DOUBLE_EQ(found.of_queries, 1.0 / (kTest + 1));
}

TEST(GraphAudit, FindsTriplesOfTwoSplitsAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.test, 4, CleanGraph::relation(4), 5);
  EXPECT_DOUBLE_EQ(only_finding(graph, "leaked").of_queries, 1.0 / (kTest + 1));
}

TEST(GraphAudit, FindsInverseRelationsAloneAndWhatTheyGiveAway) {
  CleanGraph graph;
  graph.relations += "south\tlies south of\n";
  for (int i = 0; i < 30; i += 3) CleanGraph::add(graph.train, i + 1, "south", i);  // each has its north in training
  CleanGraph::add(graph.train, 40, "south", 38);
  CleanGraph::add(graph.test, 38, "north", 40);
  const AuditFinding found = only_finding(graph, "inverse_relations");
  EXPECT_EQ(found.effect, Effect::raises);
  EXPECT_EQ(found.count, 1U);
  EXPECT_DOUBLE_EQ(found.of_queries, 1.0 / (kTest + 1));
  EXPECT_THAT(found.examples,
              ElementsAre("south reversed is north in 91% of its training triples; gives away 1 test triple"));
}

TEST(GraphAudit, CountsAPairOfInverseRelationsOnceWhereEachImpliesTheOther) {
  CleanGraph graph;
  graph.relations += "above\tstands above\nbelow\tstands below\n";
  for (int i = 0; i < 10; ++i) {
    CleanGraph::add(graph.train, i, "above", i + 100);
    CleanGraph::add(graph.train, i + 100, "below", i);
  }
  EXPECT_EQ(only_finding(graph, "inverse_relations").count, 1U);
}

TEST(GraphAudit, FindsEquivalentRelationsAlone) {
  CleanGraph graph;
  graph.relations += "upwards\tlies upwards of\n";
  for (int i = 0; i < 30; i += 3) CleanGraph::add(graph.train, i, "upwards", i + 1);
  CleanGraph::add(graph.train, 60, "upwards", 62);
  CleanGraph::add(graph.test, 60, "north", 62);
  const AuditFinding found = only_finding(graph, "equivalent_relations");
  EXPECT_EQ(found.effect, Effect::raises);
  EXPECT_EQ(found.count, 1U);
  EXPECT_DOUBLE_EQ(found.of_queries, 1.0 / (kTest + 1));
}

TEST(GraphAudit, FindsSymmetricRelationsAlone) {
  CleanGraph graph;
  graph.relations += "beside\tstands beside\n";
  for (int i = 0; i < 10; ++i) {
    CleanGraph::add(graph.train, i, "beside", i + 150);
    CleanGraph::add(graph.train, i + 150, "beside", i);
  }
  EXPECT_EQ(only_finding(graph, "symmetric_relations").count, 1U);
}

TEST(GraphAudit, FindsCartesianRelationsAlone) {
  CleanGraph graph;
  graph.relations += "all\tany to any\n";
  for (int head = 0; head < 4; ++head) {
    for (int tail = 20; tail < 24; ++tail) CleanGraph::add(graph.train, head, "all", tail);
  }
  EXPECT_THAT(only_finding(graph, "cartesian_relations").examples, ElementsAre("all: 16 triples, 4 heads x 4 tails"));
}

TEST(GraphAudit, FindsEntitiesThatTrainingNeverSeesAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.test, "stranger", "north", "e4");
  graph.entities += "stranger\tunknown\tsomebody whom nobody ever met before.\n";
  EXPECT_DOUBLE_EQ(only_finding(graph, "unseen_entities").of_queries, 1.0 / (kTest + 1));
}

TEST(GraphAudit, FindsRelationsThatTrainingNeverSeesAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.test, 7, "west", 70);
  graph.relations += "west\tlies west of\n";
  EXPECT_EQ(only_finding(graph, "unseen_relations").count, 1U);
}

TEST(GraphAudit, FindsTestTriplesAcrossPartsOfTrainingAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.train, "far", "north", "away");
  CleanGraph::add(graph.test, "far", "east", "e1");
  graph.entities += "far\tfar\tbeyond all hills and seas.\naway\taway\tnot at home this week.\n";
  EXPECT_EQ(only_finding(graph, "apart").count, 1U);
  const GraphAudit audit = graph.audit();
  EXPECT_EQ(audit.shape.components, 2U);
  EXPECT_EQ(audit.shape.largest, static_cast<std::uint64_t>(kEntities));
}

TEST(GraphAudit, FindsAnAnswerNamedInTheTextOfTheQueryAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.test, 3, "east", 33);
  graph.describe_all(
      [](int i) { return i == 3 ? "it stands before " + CleanGraph::name(33) + "." : CleanGraph::text(i); });
  EXPECT_DOUBLE_EQ(only_finding(graph, "answer_in_text").of_queries, 0.5 / (kTest + 1));  // of two queries one
}

TEST(GraphAudit, FindsEqualTextsAlone) {
  CleanGraph graph;
  graph.describe_all([](int i) { return CleanGraph::text(i == 8 ? 7 : i); });
  EXPECT_EQ(only_finding(graph, "alike_texts").count, 2U);
}

TEST(GraphAudit, FindsNearlyEqualTextsAlone) {
  CleanGraph graph;
  const std::string base = "a long text of many words that goes on and on until in the end there is no more to say";
  graph.describe_all([&](int i) { return i == 8 ? base + " here." : i == 7 ? base + "." : CleanGraph::text(i); });
  EXPECT_EQ(only_finding(graph, "alike_texts").count, 2U);
  EXPECT_GT(text_overlap(base, base + " here"), 0.8);
  EXPECT_LT(text_overlap(base, "quite another text that shares no three words in a row"), 0.1);
}

TEST(GraphAudit, FindsEntitiesWithoutTextAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.train, "nameless", "north", "e1");
  EXPECT_THAT(only_finding(graph, "without_text").examples, ElementsAre("nameless"));
}

TEST(GraphAudit, FindsTextsCutAtOneLengthAlone) {
  CleanGraph graph;
  graph.describe_all([](int i) { return CleanGraph::text(i).substr(0, 30); });
  EXPECT_THAT(only_finding(graph, "truncated_texts").title, HasSubstr("most at 30 characters"));
}

TEST(GraphAudit, FindsTextsThatEndInAnEllipsisAlone) {
  CleanGraph graph;
  graph.describe_all([](int i) { return CleanGraph::text(i) + (i == 7 ? ".." : ""); });
  EXPECT_EQ(only_finding(graph, "truncated_texts").count, 1U);
}

TEST(GraphAudit, FindsSharedNamesAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.train, "twin", "north", "e1");
  graph.entities += fmt::format("twin\t{}\tanother of that name.\n", CleanGraph::name(9));
  EXPECT_EQ(only_finding(graph, "shared_names").count, 1U);
}

TEST(GraphAudit, FindsSplitsThatDifferInLinkedPairsAlone) {
  CleanGraph graph;
  for (int i = 0; i < kEntities; ++i) CleanGraph::add(graph.train, i, CleanGraph::relation(i + 1), (i + 1) % kEntities);
  EXPECT_DOUBLE_EQ(only_finding(graph, "linked_pairs").of_queries, 600.0 / 2600.0);
}

TEST(GraphAudit, FindsASmallTestAlone) { EXPECT_EQ(only_finding(CleanGraph(100), "small_test").count, 200U); }

TEST(GraphAudit, FindsARuleThatAnswersMuchWithoutLearningAlone) {
  CleanGraph graph;
  for (int r = 0; r < 6; ++r) {
    const std::string relation = fmt::format("in_{}", r);
    graph.relations += relation + "\tlies in\n";
    // Everything lies in one of two places, so the more frequent of them is a good guess.
    for (int i = 12; i < kEntities; ++i)
      CleanGraph::add(i % 2 == 0 ? graph.train : graph.test, i, relation, i % 3 == 0 ? 6 + r : r);
  }
  const AuditFinding found = only_finding(graph, "trivial_rule");
  EXPECT_THAT(found.title, HasSubstr("\"popularity\" alone reaches MRR"));
}

TEST(GraphAudit, FindsATestOfMostlyOneRelationAlone) {
  CleanGraph graph;
  for (std::size_t at; (at = graph.test.find("\teast\t")) != std::string::npos;) graph.test.replace(at, 6, "\tnorth\t");
  EXPECT_NEAR(only_finding(graph, "one_relation").of_queries, 2.0 / 3, 0.001);
}

TEST(GraphAudit, FindsRepeatedTriplesAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.train, 4, CleanGraph::relation(4), 5);
  EXPECT_EQ(only_finding(graph, "duplicates").count, 1U);
}

TEST(GraphAudit, FindsLoopsAlone) {
  CleanGraph graph;
  CleanGraph::add(graph.train, 4, "north", 4);
  EXPECT_EQ(only_finding(graph, "self_loops").count, 1U);
}

TEST(GraphAudit, FindsEntitiesOfNoTripleAlone) {
  CleanGraph graph;
  graph.entities += "idle\tthe idle one\tnowhere to be found.\n";
  EXPECT_THAT(only_finding(graph, "isolated").examples, ElementsAre("idle"));
}

TEST(GraphAudit, FindsRelationsOfNoTripleAlone) {
  CleanGraph graph;
  graph.relations += "under\tlies under\n";
  EXPECT_THAT(only_finding(graph, "unused_relations").examples, ElementsAre("under"));
}

TEST(GraphAudit, FindsSkippedLinesAlone) {
  CleanGraph graph;
  graph.options.bad_lines = BadLines::skip;
  graph.train += "e1\tnorth\n";
  EXPECT_EQ(only_finding(graph, "bad_lines").count, 1U);
}

TEST(GraphAudit, FindsRelationsWithoutTextAlone) {
  CleanGraph graph;
  graph.relations = "north\tlies north of\neast\tlies east of\nnear\t\n";
  EXPECT_THAT(only_finding(graph, "relations_without_text").examples, ElementsAre("near"));
}

TEST(GraphAudit, PutsWhatTouchesMostQueriesFirstAndWhatHasNoEffectLast) {
  CleanGraph graph;
  CleanGraph::add(graph.train, 4, "north", 4);
  CleanGraph::add(graph.test, 4, CleanGraph::relation(4), 5);
  for (const int i : {7, 8}) CleanGraph::add(graph.test, i + 1, CleanGraph::relation(i), i);
  EXPECT_THAT(keys_of(graph.audit()), ElementsAre("reversed", "leaked", "self_loops"));
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
  CleanGraph::add(graph.test, 5, CleanGraph::relation(4), 4);
  graph.entities += "<b>\t<script>alert(1)</script>\tidle.\n";
  const GraphAudit audit = graph.audit();
  const auto json = nlohmann::json::parse(to_json(audit));
  EXPECT_EQ(json["linked_in_training"]["test"]["triples"], 1);
  EXPECT_EQ(json["findings"].size(), audit.findings.size());
  EXPECT_EQ(json["by_relation"][0]["cardinality"], "N-N");
  EXPECT_THAT(to_table(audit), HasSubstr("1 of 1,001 test triples occur in training with head and\n  tail swapped\n"));
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
