#include "hasa/job/grown_run.h"

#include <algorithm>
#include <filesystem>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/job/evaluation.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/add_to_graph.h"
#include "hasa/model/queries_for_tests.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::small_graph;
using testing::TempDir;

/// A graph, what it grew into by triples of new entities and a new relation among themselves, and runs on the first.
class GrownRunTest : public ::testing::Test {
 protected:
  GrownRunTest() {
    graph_.save(root_ / "graph");
    grown_.save(root_ / "grown");
  }

  Graph with(const std::string& triples, Split into = Split::train) const {
    write_file(root_ / "more.tsv", triples);
    return add_to_graph(graph_, {root_ / "more.tsv"}, {}, {}, into);
  }

  RunConfig config(const std::vector<std::string>& options, const char* graph = "graph") const {
    RunConfig config;
    config.device = "cpu";
    for (const std::string& option : options) apply_assignment(fields_of(config), option);
    config.graph = root_ / graph;
    return config;
  }

  hasa::Run train(const std::vector<std::string>& options, const char* name = "run") const {
    train_run(config(options), root_ / name, /*resume=*/false);
    return Run::open(root_ / name);
  }

  testing::OneQuietThread quiet_;
  TempDir dir_;
  fs::path root_ = fs::canonical(dir_.path());
  Graph graph_ = small_graph(/*valid_share=*/0.1);
  Graph grown_ = with("n1\tfresh\tn2\nn2\tfresh\tn3\nn3\tfresh\tn1\n");
};

/// What scores are made of that is numbered by relation or entity shows here: both directions, old numbers and new.
torch::Tensor scores_of_the_old(const TrainedRun& run, const Graph& old) {
  std::vector<Query> queries;
  for (RelationId r = 0; r < old.relations(); ++r) {
    for (EntityId e = 0; e < 20; ++e) {
      queries.push_back({e, r});
      queries.push_back({e, inverse(r, run.graph->relations())});
    }
  }
  return run.scorer->scores(queries).narrow(1, 0, old.entities());
}

class GrownRunOfTest : public GrownRunTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(GrownRunOfTest, ScoresWhatWasThereAsBefore) {
  const std::string type = GetParam();
  std::vector<std::string> options{"model.type=" + type};
  if (type != "rules" && type != "popularity") options.insert(options.end(), {"train.epochs=2", "model.dim=8"});
  if (type == "kbgan") options.pop_back();
  if (type == "path") options.emplace_back("model.aggregation=sum");  // PNA scales by the mean degree of the graph
  const hasa::Run run = train(options);
  const TrainedRun before = open_trained(run), after = open_trained(run, root_ / "grown");
  EXPECT_EQ(after.scorer->num_entities(), graph_.entities() + 3);
  const torch::Tensor a = scores_of_the_old(before, graph_), b = scores_of_the_old(after, graph_);
  EXPECT_TRUE(torch::allclose(a, b, 1e-5, 1e-5)) << (a - b).abs().max().item<double>();
  // What is new is drawn alike whenever the run is opened.
  const Query of_new{graph_.entities(), graph_.relations()};
  const auto scores = [&] { return open_trained(run, root_ / "grown").scorer->scores({&of_new, 1}); };
  EXPECT_TRUE(torch::equal(scores(), scores()));
}

INSTANTIATE_TEST_SUITE_P(EachFamily, GrownRunOfTest,
                         ::testing::Values("transe", "complex", "rotate", "kbgan", "path", "rules", "popularity"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(GrownRunTest, ResumesOnTheGrownGraphAndBelongsToItFromThen) {
  const std::vector<std::string> options{"model.type=complex", "model.dim=16", "train.batch=64",
                                         "optimiser.average=0.9"};
  auto first = options, more = options;
  first.emplace_back("train.epochs=2");
  more.emplace_back("train.epochs=4");
  const hasa::Run run = train(first);
  const torch::Tensor drawn = testing::vectors_of(*open_trained(run, root_ / "grown").scorer).entities();
  const TrainedOutcome outcome = train_run(config(more, "grown"), root_ / "run", /*resume=*/true);
  EXPECT_EQ(outcome.state.epoch, 4);
  const hasa::Run moved = Run::open(root_ / "run");
  EXPECT_EQ(moved.graph_hash(), grown_.content_hash());
  EXPECT_THAT(moved.earlier_graphs(), ElementsAre(graph_.content_hash()));
  const TrainedRun opened = open_trained(moved);  // its config says where the grown graph lies
  EXPECT_EQ(opened.graph->entities(), grown_.entities());
  EXPECT_ERROR(open_trained(moved, root_ / "graph"), "the graph has changed since");
  const torch::Tensor last = load_tensors(moved / Run::kLast).at("model.entities");
  ASSERT_EQ(last.size(0), grown_.entities());
  EXPECT_FALSE(torch::equal(last.narrow(0, graph_.entities(), 3), drawn.narrow(0, graph_.entities(), 3)));
  const auto ranked =
      rank_split(*opened.scorer, *opened.graph, KnownAnswers::of_all_splits(*opened.graph), Split::valid);
  EXPECT_DOUBLE_EQ(metrics_of(ranked).mrr, outcome.state.best_mrr);
}

TEST_F(GrownRunTest, TheBestModelSoFarIsMeasuredAnewAndStaysUntilAnEpochIsBetter) {
  const std::vector<std::string> options{"model.type=distmult", "model.dim=16", "train.batch=64"};
  auto first = options;
  first.insert(first.end(), {"train.epochs=3", "optimiser.lr=0.1"});
  const hasa::Run run = train(first);
  const std::string before = read_file(run / Run::kBest);
  // Triples that the model cannot know make validation harder.
  std::string hard;
  for (EntityId e = 0; e < 40; ++e)
    hard += fmt::format("{}\tP0\t{}\n", graph_.entity_id(e), graph_.entity_id((7 * e + 13) % 60));
  with(hard, Split::valid).save(root_ / "harder");
  const TrainedRun asked = open_trained(run, root_ / "harder");
  const double mrr =
      metrics_of(rank_split(*asked.scorer, *asked.graph, KnownAnswers::of_all_splits(*asked.graph), Split::valid)).mrr;
  std::vector<double> heard;
  auto more = config(first, "harder");
  apply_assignment(fields_of(more), "train.epochs=4");
  const TrainedOutcome outcome = train_run(more, root_ / "run", true, [&](const EpochRecord& record) {
    heard.push_back(record.valid->all.mrr);
    return true;
  });
  ASSERT_EQ(heard.size(), 1U);  // the fourth epoch alone
  EXPECT_DOUBLE_EQ(outcome.state.best_mrr, std::max(mrr, heard[0]));
  EXPECT_EQ(read_file(run / Run::kBest) == before, heard[0] <= mrr);
}

TEST_F(GrownRunTest, WithAllEpochsDoneSaysHowToAddSomeAndStaysAsItWas) {
  const std::vector<std::string> options{"model.type=transe", "model.dim=8", "train.batch=64", "train.epochs=2"};
  train(options);
  EXPECT_ERROR(train_run(config(options, "grown"), root_ / "run", true), "add some with --set train.epochs=3");
  EXPECT_EQ(open_trained(Run::open(root_ / "run")).graph->entities(), graph_.entities());
}

TEST_F(GrownRunTest, InterruptedInTheMiddleOfAnEpochBeginsThatEpochOnTheGrownGraph) {
  const std::vector<std::string> options{"model.type=transe", "model.dim=8", "train.batch=64", "train.epochs=3",
                                         "optimiser.kind=adamw"};
  const RunConfig unfinished = config(options);
  {
    const testing::InterruptAtStep interrupt(/*step=*/15);  // 684 examples are 11 steps an epoch
    EXPECT_EQ(train_run(unfinished, root_ / "run", false).end, TrainEnd::interrupted);
  }
  std::vector<std::int64_t> heard;
  train_run(config(options, "grown"), root_ / "run", true, [&](const EpochRecord& record) {
    heard.push_back(record.epoch);
    return true;
  });
  EXPECT_THAT(heard, ElementsAre(2, 3));
}

TEST_F(GrownRunTest, RulesAreMinedAnewOnTheGrownGraph) {
  const std::vector<std::string> options{"model.type=rules", "model.min_support=1"};
  const hasa::Run run = train(options);
  EXPECT_THAT(read_file(run / "best/rules.tsv"), ::testing::Not(HasSubstr("fresh")));
  train_run(config(options, "grown"), root_ / "run", true);
  EXPECT_THAT(read_file(run / "best/rules.tsv"), HasSubstr("fresh"));
  EXPECT_EQ(Run::open(root_ / "run").graph_hash(), grown_.content_hash());
}

TEST_F(GrownRunTest, AFusionOpensWithItsPartsAndIsFittedAnew) {
  const std::string parts = fmt::format("model.parts={}, {}", (root_ / "complex").string(), (root_ / "rules").string());
  train({"model.type=complex", "model.dim=8", "train.batch=64", "train.epochs=2"}, "complex");
  train({"model.type=rules"}, "rules");
  const hasa::Run run = train({"model.type=fusion", parts});
  const torch::Tensor before = scores_of_the_old(open_trained(run), graph_);
  const TrainedRun after = open_trained(run, root_ / "grown");
  // Scores are standardised over all entities, and there are more of them now.
  EXPECT_EQ(scores_of_the_old(after, graph_).sizes(), before.sizes());
  const Query of_new{graph_.entities(), graph_.relations()};
  EXPECT_TRUE(after.scorer->scores({&of_new, 1}).isfinite().all().item<bool>());
  train_run(config({"model.type=fusion", parts}, "grown"), root_ / "run", true);
  EXPECT_EQ(Run::open(root_ / "run").graph_hash(), grown_.content_hash());
  EXPECT_EQ(load_tensors(root_ / "run" / Run::kBest).at("weights").size(0), grown_.num_directed_relations());
}

TEST_F(GrownRunTest, AFrozenRunNeedsNoLanguageModelForTriplesAlone) {
  RunConfig config{.device = "cpu", .family = testing::small_frozen()};
  config.graph = root_ / "graph";
  fs::create_directory(root_ / "language-model");
  std::get<FrozenFamily>(config.family).language_model.path = (root_ / "language-model").string();
  testing::made_up_texts(graph_).save(Run::create(root_ / "run", to_yaml(fields_of(config)), graph_) / Run::kTexts);
  train_run(config, root_ / "run", /*resume=*/true);
  const Graph linked = with("Q0\tP0\tQ59\nQ1\tP1\tQ58\n");
  linked.save(root_ / "linked");
  const TrainedRun before = open_trained(Run::open(root_ / "run"));
  const TrainedRun after = open_trained(Run::open(root_ / "run"), root_ / "linked");
  const auto vector_of = [](const TrainedRun& run, EntityId e) {
    return testing::vectors_of(*run.scorer).entities()[e];
  };
  EXPECT_FALSE(torch::equal(vector_of(before, 0), vector_of(after, 0)));  // its context has another edge
  EXPECT_TRUE(torch::allclose(vector_of(before, 30), vector_of(after, 30)));
  config.graph = root_ / "linked";
  apply_assignment(fields_of(config), "train.epochs=4");
  EXPECT_EQ(train_run(config, root_ / "run", true).state.epoch, 4);
  // New entities would have to be read.
  EXPECT_ERROR(open_trained(Run::open(root_ / "run"), root_ / "grown"), "the graph has changed since");
}

TEST_F(GrownRunTest, TheCertificateNamesBothGraphs) {
  train({"model.type=popularity"});
  const std::string old = fmt::format("graph {:016x}", graph_.content_hash());
  const EvaluatedRun grown = open_for_evaluation(root_ / "run", root_ / "grown", "cpu", 0);
  EXPECT_EQ(grown.facts.trained_on,
            old + ", from which this one grew: 3 entities and 1 relation came since, 0 texts changed");
  EXPECT_EQ(open_for_evaluation(root_ / "run", "", "cpu", 0).facts.trained_on, "");
  train_run(config({"model.type=popularity"}, "grown"), root_ / "run", true);
  EXPECT_EQ(open_for_evaluation(root_ / "run", "", "cpu", 0).facts.trained_on, "this graph; before it grew " + old);
}

}  // namespace
}  // namespace hasa
