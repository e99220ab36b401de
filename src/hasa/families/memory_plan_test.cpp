#include "hasa/families/memory_plan.h"

#include "hasa/base/testing.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

MemoryPlan bert_base(std::int64_t trained_layers) {
  EncoderConfig config;
  config.vocabulary = 30522;
  config.positions = 512;
  config.hidden = 768;
  config.layers = 12;
  config.heads = 12;
  config.intermediate = 3072;
  return {config, trained_layers};
}

TextInputs small_inputs() {
  std::istringstream lines(testing::letters());
  std::vector<std::string> vocabulary;
  for (std::string line; std::getline(lines, line);) vocabulary.push_back(line);
  const WordPiece tokenizer(vocabulary, TokenizerSettings::bert());
  SyntheticOptions options;
  options.entities = 50;
  options.triples = 100;
  const Graph graph = synthetic_graph(options);
  return {tokenizer, GraphTokens::build(graph, tokenizer), {}, graph};
}

TEST(TokensWithin, GrowWithTheMemory) {
  const TextInputs inputs = small_inputs();
  const std::int64_t gib = std::int64_t{1} << 30;
  const std::int64_t sixteen = tokens_within(16 * gib, bert_base(12), inputs);
  EXPECT_GT(sixteen, 20000);
  EXPECT_LT(sixteen, 40000);
  EXPECT_GT(tokens_within(32 * gib, bert_base(12), inputs), 2 * sixteen);
  EXPECT_GT(tokens_within(16 * gib, bert_base(2), inputs), 3 * sixteen);
  MemoryPlan full = bert_base(12);
  full.element_bytes = 4;
  EXPECT_LT(tokens_within(16 * gib, full, inputs), sixteen * 6 / 10);
  MemoryPlan two = bert_base(12);
  two.encoders = 2;
  EXPECT_LT(tokens_within(16 * gib, two, inputs), sixteen);
}

TEST(TokensWithin, RefuseWhatFitsNoTextWithTheSizeNeeded) {
  EXPECT_ERROR(tokens_within(std::int64_t{2} << 30, bert_base(12), small_inputs()),
               "memory_limit is 2.0 GiB, but fine-tuning this language model takes at least 3.6 GiB");
}

}  // namespace
}  // namespace hasa
