#include "hasa/base/search_space.h"

#include <set>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr const char* kMarked = R"(graph: g
model: {type: complex, dim: {choices: [128, 256]}}
optimiser:
  lr: {log_range: [1e-3, 1e-1]}
tables:
  entity_dropout: {range: [0.1, 0.5]}
  negatives: {range: [10, 12]}
)";

struct Model {
  std::string type = "transe";
  std::int64_t dim = 64;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("type", &Model::type, "its form");
    field("dim", &Model::dim, "numbers of a vector", Range{1, 512});
  }
};
struct Options {
  std::string graph;
  Model model;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("graph", &Options::graph, "where it lies");
    field("model", &Options::model, "what is trained");
  }
};

TEST(SearchSpace, ListsTheMarkedOptions) {
  EXPECT_EQ(SearchSpace::parse(kMarked, "search.yaml").keys(),
            (std::vector<std::string>{"model.dim", "optimiser.lr", "tables.entity_dropout", "tables.negatives"}));
}

TEST(SearchSpace, SetsTheRestAndNamesTheLinesOfTheFile) {
  Options options;
  SearchSpace::parse("# a remark\ngraph: g\nmodel: {type: complex, dim: {choices: [128, 256]}}\n", "s.yaml")
      .apply_fixed(fields_of(options));
  EXPECT_EQ(options.graph, "g");
  EXPECT_EQ(options.model.type, "complex");
  EXPECT_EQ(options.model.dim, 64);
  EXPECT_ERROR(SearchSpace::parse("# a remark\n\nmodel:\n  dim: {range: [1, 2]}\n\n  dmi: 3\n", "s.yaml")
                   .apply_fixed(fields_of(options)),
               "unknown option model.dmi (s.yaml:6)");
}

TEST(SearchSpace, RefusesMarksThatTheOptionsCannotTake) {
  const auto check = [](const char* yaml) {
    Options options;
    SearchSpace::parse(yaml, "s.yaml").check(fields_of(options));
  };
  EXPECT_NO_THROW(check("model:\n  dim: {range: [1, 512]}\n"));
  EXPECT_ERROR(check("model:\n  dim: {range: [1, 1000]}\n"), "s.yaml:2: option model.dim is 1000, expected a value");
  EXPECT_ERROR(check("graph: g\nmodel:\n\n  dmi: {range: [1, 2]}\n"), "s.yaml:4: unknown option model.dmi; did you");
}

TEST(SearchSpace, NeverDrawsTheSameTwiceAndEndsWhereAllIsDrawn) {
  const SearchSpace small =
      SearchSpace::parse("a: {choices: [1, 2, 3]}\nb: {range: [0, 1]}\nc: {log_range: [4, 4]}\n", "s.yaml");
  EXPECT_EQ(small.size(), 6U);
  const auto draws = small.distinct_draws(20, 1);
  EXPECT_EQ(draws.size(), 6U);
  EXPECT_EQ(std::set(draws.begin(), draws.end()).size(), 6U);
  const auto fewer = small.distinct_draws(4, 1);
  EXPECT_EQ(fewer, (std::vector(draws.begin(), draws.begin() + 4)));
  EXPECT_NE(small.distinct_draws(4, 2), fewer);
}

TEST(SearchSpace, OfRealNumbersHasNoSizeButMayBeTooNarrow) {
  const SearchSpace wide = SearchSpace::parse("a: {range: [0.1, 0.5]}\n", "s.yaml");
  EXPECT_EQ(wide.size(), std::nullopt);
  EXPECT_EQ(wide.distinct_draws(50, 1).size(), 50U);
  EXPECT_EQ(SearchSpace::parse("a: {range: [0.50001, 0.50002]}\n", "s.yaml").distinct_draws(50, 1).size(), 1U);
}

TEST(SearchSpace, DrawsWithinItsRangesAndTheSameForTheSameGenerator) {
  const SearchSpace space = SearchSpace::parse(kMarked, "search.yaml");
  std::set<std::string> dims, negatives;
  int small_rates = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    Rng rng(1, "trial", trial), again(1, "trial", trial);
    const auto drawn = space.draw(rng);
    EXPECT_EQ(drawn, space.draw(again));
    ASSERT_EQ(drawn.size(), 4U);
    dims.insert(drawn[0]);
    const double lr = std::stod(drawn[1].substr(13)), dropout = std::stod(drawn[2].substr(22));
    EXPECT_GE(lr, 1e-3);
    EXPECT_LE(lr, 1e-1);
    EXPECT_GE(dropout, 0.1);
    EXPECT_LE(dropout, 0.5);
    if (lr < 1e-2) ++small_rates;
    negatives.insert(drawn[3]);
  }
  EXPECT_EQ(dims, (std::set<std::string>{"model.dim=128", "model.dim=256"}));
  EXPECT_EQ(negatives, (std::set<std::string>{"tables.negatives=10", "tables.negatives=11", "tables.negatives=12"}));
  EXPECT_NEAR(small_rates, 200, 50);  // half of the logarithm's range
}

TEST(SearchSpace, RefusesMarksThatAreNone) {
  EXPECT_ERROR(SearchSpace::parse("a: {range: [2, 1]}", "x.yaml"),
               "x.yaml:1: range of a takes two numbers, the smaller");
  EXPECT_ERROR(SearchSpace::parse("a: {b: {log_range: [0, 1]}}", "x.yaml"), "log_range of a.b begins at 0");
  EXPECT_ERROR(SearchSpace::parse("b: 1\n\na: {choices: 3}", "x.yaml"),
               "x.yaml:3: a is marked with choices, which needs a list");
  EXPECT_ERROR(SearchSpace::parse("a: {choices: [1, 2, 1]}", "x.yaml"), "x.yaml:1: a choice of a is given twice");
}

}  // namespace
}  // namespace hasa
