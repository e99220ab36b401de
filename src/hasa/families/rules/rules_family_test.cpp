#include "hasa/families/rules/rules_family.h"

#include <algorithm>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/families/rules/rule_words.h"
#include "hasa/families/rules/rules_file.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

using hasa::testing::SmallBenchmark;
using hasa::testing::TempDir;

const Rule kPath{
    .kind = RuleKind::path, .relation = 1, .first = 1, .second = 0, .support = 3, .body = 4, .confidence = 0.75F};

TEST(RulesFile, ReadsBackWhatWasSaved) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  const std::vector<Rule> rules{kPath, {.kind = RuleKind::frequency, .relation = 2, .answer = 4, .confidence = 0.5F}};
  save_rules(dir / "rules.safetensors", rules, graph.relations());
  EXPECT_EQ(load_rules(dir / "rules.safetensors", graph, graph.relations()), rules);
}

TEST(RulesFile, OfAGraphWithFewerRelationsIsReadByTheNumbersOfNow) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();  // two relations: inverses are 2 and 3
  const Rule edge{.kind = RuleKind::edge, .relation = 0, .first = 1, .confidence = 0.5F};  // 1 was the inverse of 0
  save_rules(dir / "one.safetensors", {edge}, /*relations=*/1);
  const std::vector<Rule> now = load_rules(dir / "one.safetensors", graph, graph.relations());
  EXPECT_EQ(now.at(0).relation, 0);
  EXPECT_EQ(now.at(0).first, 2);
  save_rules(dir / "three.safetensors", {edge}, /*relations=*/3);
  EXPECT_ERROR(load_rules(dir / "three.safetensors", graph, 3), "the rules are of another graph");
}

TEST(RulesFile, RefusesRulesOfAnotherGraph) {
  const TempDir dir;
  Rule rule = kPath;
  rule.second = 7;
  save_rules(dir / "rules.safetensors", {rule}, 2);
  EXPECT_ERROR(load_rules(dir / "rules.safetensors", SmallBenchmark().read(), 2), "rule 0 does not match the graph");
}

TEST(RuleWords, WriteAnInverseAsItsRelation) {
  const Graph graph = SmallBenchmark().read();  // relations: is a kind of, is part of
  EXPECT_EQ(to_words(kPath, graph), "is part of(X, Y)  <=  is part of(X, Z), is a kind of(Z, Y)");
  EXPECT_EQ(to_words({.kind = RuleKind::edge, .relation = 0, .first = 3}, graph),
            "is a kind of(X, Y)  <=  is part of(Y, X)");
  EXPECT_EQ(to_words({.kind = RuleKind::constant, .relation = 0, .first = 1, .given = 3, .answer = 0}, graph),
            "is a kind of(X, Animal)  <=  is part of(X, Fox)");
}

TEST(RuleWords, NameAFewMiddlesOfAPrediction) {
  const Graph graph = SmallBenchmark().read();
  EXPECT_EQ(to_words(Firing{kPath, {2, 3}}, graph),
            "0.750 (3 of 4)  is part of(X, Y)  <=  is part of(X, Z), is a kind of(Z, Y)  with Z = Dog, Fox");
  EXPECT_THAT(to_words(Firing{kPath, {0, 1, 2, 3, 4}}, graph),
              ::testing::EndsWith("Z = Animal, canine, Dog and 2 more"));
}

TEST(RulesFamily, FitsOpensAndWritesItsRulesForPeople) {
  const TempDir dir;
  // Whatever is part of X's kind is part of X, for ten kinds with one member.
  SmallBenchmark benchmark;
  benchmark.with_texts = false;
  benchmark.train.clear();
  for (int i = 0; i < 10; ++i) {
    benchmark.train += "m" + std::to_string(i) + "\tis\tk" + std::to_string(i) + "\n";
    benchmark.train += "k" + std::to_string(i) + "\thas\tp" + std::to_string(i) + "\n";
    if (i > 0) benchmark.train += "m" + std::to_string(i) + "\thas\tp" + std::to_string(i) + "\n";
  }
  benchmark.valid = "m0\thas\tp0\n";
  benchmark.test = "k0\tis\tp0\n";
  const Graph graph = benchmark.read();
  const hasa::Run run = hasa::Run::create(dir / "run", "model: {type: rules}\n", graph);
  const RulesFamily config;
  fit(config, {.graph = graph, .graph_folder = dir.path()}, run);
  const auto scorer = open_scorer(config, {.run = run, .graph = graph, .graph_folder = dir.path()});
  const Triple asked = graph.triples(Split::valid)[0];
  const Query query = query_of(asked);
  const torch::Tensor scores = scorer->scores({&query, 1});
  EXPECT_EQ(scores.argmax().item<std::int64_t>(), asked.tail);
  EXPECT_THAT(read_file(run / "best/rules.tsv"), ::testing::HasSubstr("has(X, Y)  <=  is(X, Z), has(Z, Y)\n"));
}

TEST(RulesFamily, ReadsNoEdgeOfValidOrTest) {
  const TempDir dir;
  // What validation and test say differs; what is mined must not.
  SmallBenchmark plain, planted;
  planted.valid = "paw\tpart_of\tfox\nanimal\thypernym\tdog\nanimal\tpart_of\tdog\n";
  planted.test = "animal\thypernym\tpaw\ndog\tpart_of\tpaw\n";
  const auto rules_of = [&](const SmallBenchmark& benchmark, const char* name) {
    const Graph graph = benchmark.read();
    const hasa::Run run = hasa::Run::create(dir / name, "model: {type: rules}\n", graph);
    RulesFamily config;
    config.model.min_support = 1;
    config.model.min_constant_confidence = 0;
    fit(config, {.graph = graph, .graph_folder = dir.path()}, run);
    return load_rules(run / hasa::Run::kBest, graph, graph.relations());
  };
  EXPECT_EQ(rules_of(plain, "plain"), rules_of(planted, "planted"));
}

TEST(RulesFamily, RefusesToLookForNothing) {
  RulesFamily config;
  config.model = {.frequency = false, .constants = 0, .edges = false, .paths = false};
  EXPECT_ERROR(check(config, torch::kCPU), "no kind of rule is enabled");
}

}  // namespace
}  // namespace hasa
