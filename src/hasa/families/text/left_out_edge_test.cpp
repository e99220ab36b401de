// That a triple asked from either end is read without its own edge.

#include <ATen/Context.h>

#include "hasa/base/testing.h"
#include "hasa/families/text/text_family.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/kg/read_triples.h"
#include "hasa/model/language_model.h"

namespace hasa {
namespace {

/// Every entity has one edge: where that is left out, its text is its own words.
Graph separate_edges() {
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  return parse_triples({"t.tsv", "a\tr0\tbb\nccc\tr1\tdddd\neeeee\tr2\tf\ngg\tr3\thhh\n"}, {}, options);
}

class LeftOutEdge : public ::testing::Test {
 protected:
  LeftOutEdge() {
    testing::write_tiny_bert(dir_ / "bert");
    graph_.save(dir_ / "graph");
    config_.language_model.path = (dir_ / "bert").string();
    config_.model.query = QueryForm::joint;
    config_.text.max_tokens = 40;
    config_.text.own_tokens = 20;
    config_.train.batch = 1;
  }

  /// The tokens that each step of an epoch reads, a triple a step.
  std::vector<std::int64_t> tokens_of_steps(std::int64_t context, std::int64_t soft_neighbours = 0) {
    config_.text.context = context;
    config_.text.soft_neighbours = soft_neighbours;
    at::manual_seed(1);
    const auto learner = make_learner(config_, {.graph = graph_, .graph_folder = dir_ / "graph"});
    std::vector<std::int64_t> tokens;
    for (std::int64_t step = 0; step < learner->examples().count; ++step)
      tokens.push_back(learner->step(step, /*factor=*/0).tokens);
    return tokens;
  }

  testing::TempDir dir_;
  Graph graph_ = separate_edges();
  TextFamily config_;
};

TEST_F(LeftOutEdge, IsInNoTextOfHeadTailOrQueryOfATripleOrItsInverse) {
  const std::vector<std::int64_t> own_words = tokens_of_steps(0);
  ASSERT_EQ(own_words.size(), 8U);
  EXPECT_EQ(tokens_of_steps(/*context=*/4), own_words);
  EXPECT_EQ(tokens_of_steps(/*context=*/0, /*soft_neighbours=*/4), own_words);
  config_.text.soft_neighbours = 0;
  config_.text.context = 4;
  // It would have shown: told, an edge makes a text longer.
  const LanguageModel language_model = LanguageModel::open(config_.language_model.path);
  const auto all_tokens = [&] {
    return text_inputs(graph_, dir_ / "graph", config_.text, language_model).all_entities().ids.size();
  };
  const std::size_t told = all_tokens();
  config_.text.context = 0;
  EXPECT_GT(told, all_tokens());
  const std::size_t own = all_tokens();
  config_.text.soft_neighbours = 4;
  EXPECT_EQ(all_tokens(), own + 8) << "each of the four edges is a token of both its entities";
}

TEST_F(LeftOutEdge, IsInTheTextsWhereNoneIsHiddenAndTheCertificateCallsThatALeak) {
  const std::vector<std::int64_t> own_words = tokens_of_steps(0);
  config_.text.hidden_edges = EdgeRule::none;
  const std::vector<std::int64_t> told = tokens_of_steps(/*context=*/4);
  for (std::size_t step = 0; step < own_words.size(); ++step) EXPECT_GT(told[step], own_words[step]);
  EXPECT_THAT(facts(config_).context, ::testing::HasSubstr("a leak, for ablation only"));
  config_.text.hidden_edges = EdgeRule::pair;
  EXPECT_THAT(facts(config_).context, ::testing::HasSubstr("without any edge between the two entities"));
}

}  // namespace
}  // namespace hasa
