#include "hasa/base/testing.h"
#include "hasa/families/text/text_family.h"
#include "hasa/families/text/text_scorer.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/run/run.h"

namespace hasa {
namespace {

using testing::SmallBenchmark;
using testing::TempDir;

struct ReaderCase {
  QueryForm query;
  std::int64_t context;
  std::int64_t soft_neighbours = 0;

  bool tells_facts() const { return context > 0 || soft_neighbours > 0; }
};

class TextReaderTest : public ::testing::TestWithParam<ReaderCase> {
 protected:
  TextReaderTest() {
    testing::write_tiny_bert(dir_ / "bert");
    graph_.save(dir_ / "graph");
    config_.model.query = GetParam().query;
    config_.model.dim = 12;
    config_.language_model.path = (dir_ / "bert").string();
    config_.text.max_tokens = 96;
    config_.text.own_tokens = 60;
    config_.text.context = GetParam().context;
    config_.text.soft_neighbours = GetParam().soft_neighbours;
    run_.emplace(hasa::Run::create(dir_ / "run", "model: {type: text}\n", graph_));
    torch::manual_seed(5);
    TextModel model = open_text_model(config_.model, config_.language_model, dir_ / "bert", torch::kCPU);
    if (GetParam().soft_neighbours > 0) model.add_soft_tokens(graph_.entities(), graph_.num_directed_relations());
    complete_run(config_, {.graph = graph_, .graph_folder = dir_ / "graph"}, *run_);
    model.save(*run_ / hasa::Run::kBestFolder);
    const OpenContext context{.run = *run_, .graph = graph_, .graph_folder = dir_ / "graph"};
    scorer_ = open_scorer(config_, context);
    reader_ = open_text_reader(config_, context, *scorer_);
  }
  const VectorScorer& vectors() const { return dynamic_cast<const VectorScorer&>(*scorer_); }
  /// All edges of these entities fit into their context, so there is no choice among them; but their order is drawn.
  UnseenEntity told(EntityId entity) const {
    UnseenEntity unseen{std::string(graph_.entity_name(entity)), std::string(graph_.entity_description(entity)), {}};
    for (const Triple& t : with_inverses(graph_.triples(Split::train), graph_.relations())) {
      if (t.head == entity) unseen.facts.push_back({t.relation, t.tail});
    }
    return unseen;
  }

  TempDir dir_;
  Graph graph_ = SmallBenchmark().read();
  TextFamily config_;
  std::optional<hasa::Run> run_;
  std::unique_ptr<Scorer> scorer_;
  std::unique_ptr<TextReader> reader_;
};

TEST_P(TextReaderTest, ReadsAnEntityAndItsQueryAsEvaluationReadsThoseOfTheGraph) {
  const EntityId paw = *graph_.find_entity("paw");  // with one edge
  const UnseenEntity unseen = told(paw);
  ASSERT_EQ(unseen.facts.size(), 1U);
  EXPECT_TRUE(torch::allclose(reader_->entity_vectors({&unseen, 1})[0], vectors().entities()[paw], 1e-4, 1e-5));
  const std::vector<UnseenQuery> asked = {{&unseen, 1, {}}, {&unseen, 0, {}}};
  const std::vector<Query> expected = {{paw, 1}, {paw, 0}};
  EXPECT_TRUE(torch::allclose(reader_->query_vectors(asked), vectors().query_vectors(expected), 1e-4, 1e-5));
}

TEST_P(TextReaderTest, TellsFactsWhereTextsHaveContextOrSoftTokens) {
  UnseenEntity unseen = told(*graph_.find_entity("dog"));
  const std::int64_t with = reader_->tokens(unseen);
  const torch::Tensor vector = reader_->entity_vectors({&unseen, 1});
  unseen.facts.clear();
  EXPECT_EQ(reader_->tokens(unseen) < with, GetParam().tells_facts());
  EXPECT_EQ(torch::allclose(reader_->entity_vectors({&unseen, 1}), vector), !GetParam().tells_facts());
  EXPECT_EQ(reader_->reads_facts(), GetParam().tells_facts());
}

INSTANTIATE_TEST_SUITE_P(Forms, TextReaderTest,
                         ::testing::Values(ReaderCase{QueryForm::joint, 0}, ReaderCase{QueryForm::joint, 4},
                                           ReaderCase{QueryForm::gru, 0}, ReaderCase{QueryForm::gru, 4},
                                           ReaderCase{QueryForm::joint, 0, 4}, ReaderCase{QueryForm::gru, 2, 4}));

}  // namespace
}  // namespace hasa
