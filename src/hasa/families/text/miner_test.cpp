#include "hasa/families/text/miner.h"

#include <ATen/Context.h>

#include <algorithm>

#include "hasa/base/testing.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/kg/synthetic.h"
#include "hasa/model/language_model.h"

namespace hasa {
namespace {

Graph graph_with_many_answers() {
  SyntheticOptions options;
  options.entities = 24;
  options.relations = 2;
  options.triples = 150;
  options.groups = 3;
  options.noise = 0;
  options.texts = true;
  return synthetic_graph(options);
}

TEST(Miner, FindsEveryEntityExceptKnownAnswersIfThatManyAreMined) {
  const testing::TempDir dir;
  testing::write_tiny_bert(dir / "bert");
  const Graph graph = graph_with_many_answers();
  graph.save(dir / "graph");
  const LanguageModel language_model = LanguageModel::open((dir / "bert").string());
  const KnownAnswers known = KnownAnswers::of_training(graph);
  const std::vector<Triple> triples = with_inverses(graph.triples(Split::train), graph.relations());
  std::vector<StepTriple> batch;
  for (std::size_t i = 0; i < triples.size(); i += 5) batch.push_back({triples[i], 0});

  for (const QueryForm query : {QueryForm::gru, QueryForm::joint}) {
    TextModelConfig config;
    config.query = query;
    config.dim = 12;
    TextConfig text;
    text.max_tokens = 24;
    at::manual_seed(1);
    const TextModel model = open_text_model(config, {}, language_model.folder, torch::kCPU);
    const TextInputs inputs = text_inputs(graph, dir / "graph", text, language_model);
    NegativesConfig negatives;
    negatives.hard = graph.entities();
    Miner miner(model, inputs, known, negatives, {.batch = std::ssize(batch), .steps = 1, .seed = 1});
    miner.mine(0, [&](std::int64_t) { return batch; });

    const std::vector<EntityId> mined = miner.mined(0, batch.size());
    const std::span<const EntityId> all(mined);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto own =
          all.subspan(i * static_cast<std::size_t>(negatives.hard), static_cast<std::size_t>(negatives.hard));
      std::vector<EntityId> found(own.begin(), own.end()), expected;
      std::erase(found, -1);
      std::sort(found.begin(), found.end());
      const auto answers = known.tails(batch[i].triple.head, batch[i].triple.relation);
      ASSERT_GE(answers.size(), 1U);
      for (EntityId e = 0; e < graph.entities(); ++e) {
        if (std::find(answers.begin(), answers.end(), e) == answers.end()) expected.push_back(e);
      }
      EXPECT_EQ(found, expected) << "triple " << i;
    }
  }
}

}  // namespace
}  // namespace hasa
