#include "hasa/families/rules/kinds_worth.h"

#include <memory>
#include <optional>
#include <stdexcept>

#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

/// Test triples: (b, likes, a), whose reverse is in training; (c, likes, e), two steps of knows away; (a, likes, d),
/// which d's being liked once before gives alone; (e, likes, f), which nothing gives.
Graph four_kinds() {
  hasa::testing::SmallBenchmark benchmark;
  benchmark.with_texts = false;
  benchmark.train = "a\tlikes\tb\nc\tknows\td\nd\tknows\te\nc\tlikes\td\nf\tknows\ta\n";
  benchmark.valid = "f\tlikes\tb\n";
  benchmark.test = "b\tlikes\ta\nc\tlikes\te\na\tlikes\td\ne\tlikes\tf\n";
  return benchmark.read();
}

class KindsWorth : public ::testing::Test {
 protected:
  KindsWorth() {
    const RelationId likes = *graph_.find_relation("likes"), knows = *graph_.find_relation("knows");
    const std::vector<Rule> rules{
        {.kind = RuleKind::edge, .relation = likes, .first = likes + 2, .confidence = 0.9F},
        {.kind = RuleKind::path, .relation = likes, .first = knows, .second = knows, .confidence = 0.5F},
        {.kind = RuleKind::frequency, .relation = likes, .answer = *graph_.find_entity("d"), .confidence = 0.1F}};
    rules_.emplace(std::make_unique<EdgeGroups>(graph_.triples(Split::train), graph_.entities(), graph_.relations()),
                   rules, torch::kCPU);
    // The queries for tails alone: the rules say nothing of heads.
    ranked_ = rank_queries(*rules_, graph_.triples(Split::test), KnownAnswers::of_all_splits(graph_));
    worth_ = kinds_worth(*rules_, graph_, ranked_, {.resamples = 10});
  }
  const Group& group(std::size_t breakdown, const std::string& name) const {
    for (const Group& each : worth_[breakdown].groups) {
      if (each.name == name) return each;
    }
    throw std::runtime_error("no group " + name);
  }

  Graph graph_ = four_kinds();
  std::optional<RulesScorer> rules_;
  std::vector<RankedQuery> ranked_;
  std::vector<Breakdown> worth_;
};

TEST_F(KindsWorth, CountsEachQueryForTheBestRuleThatGivesItsAnswer) {
  for (const char* name : {"edge", "path", "frequency", "no rule"}) EXPECT_EQ(group(1, name).metrics.queries, 1) << name;
  EXPECT_EQ(worth_[1].groups.size(), 4);
  EXPECT_EQ(group(1, "edge").metrics.mrr, 1);
  EXPECT_EQ(group(1, "path").metrics.mrr, 1);
}

TEST_F(KindsWorth, RanksByEachKindAloneAndByAllOthers) {
  EXPECT_EQ(group(0, "all kinds").metrics.mrr, metrics_of(ranked_).mrr);
  // Alone, a kind puts the one answer it gives first, and ties the three others with whatever it says nothing of.
  const double paths = group(0, "path alone").metrics.mrr;
  EXPECT_GT(paths, 0.25);
  EXPECT_LT(paths, group(0, "all kinds").metrics.mrr);
  EXPECT_LT(group(0, "without path").metrics.mrr, group(0, "all kinds").metrics.mrr);
  EXPECT_EQ(worth_[0].groups.size(), 1 + 2 * 3);
}

}  // namespace
}  // namespace hasa
