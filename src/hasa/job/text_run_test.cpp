#include "hasa/families/text/text_learner.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/read_triples.h"
#include "hasa/model/queries_for_tests.h"
#include "hasa/nn/encode_all.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using testing::InterruptAtStep;
using testing::TempDir;

Graph graph_with_texts() {
  SyntheticOptions options;
  options.entities = 40;
  options.relations = 2;
  options.triples = 150;
  options.groups = 4;
  options.noise = 0;
  options.texts = true;
  options.split.valid = 0.1;
  return synthetic_graph(options);
}

class TextLearnerTest : public ::testing::Test {
 protected:
  TextLearnerTest() {
    testing::write_tiny_bert(root_ / "bert");
    graph_.save(root_ / "graph");
    config_.graph = (root_ / "graph").string();
    config_.device = "cpu";
    family().language_model.path = (root_ / "bert").string();
    family().text.max_tokens = 48;
    family().text.own_tokens = 24;
    family().train.epochs = 2;
    family().train.batch = 64;
    family().optimiser.lr = 1e-2;
    family().optimiser.language_model_lr = 3e-3;
    family().optimiser.clip = 5;
    family().optimiser.warmup_steps = 2;
  }

  TextFamily& family() { return std::get<TextFamily>(config_.family); }
  TextModelConfig& model() { return family().model; }
  std::unique_ptr<TextLearner> learner() {
    const LanguageModel language_model = LanguageModel::open(family().language_model.path);
    at::manual_seed(config_.seed);
    TextModel text_model = open_text_model(model(), family().language_model, language_model.folder, torch::kCPU);
    return std::make_unique<TextLearner>(family(), std::move(text_model),
                                         text_inputs(graph_, config_.graph, family().text, language_model),
                                         testing::context_of(graph_, config_.seed));
  }
  TrainedOutcome train(const std::string& out, bool resume = false) { return train_run(config_, root_ / out, resume); }
  void expect_same(const std::string& a, const std::string& b, const char* file) {
    const TensorFile x = load_tensors(root_ / a / file), y = load_tensors(root_ / b / file);
    ASSERT_EQ(x.tensors.size(), y.tensors.size());
    for (const auto& [name, tensor] : x.tensors) EXPECT_TRUE(torch::equal(tensor, y.at(name))) << name;
  }

  testing::OneQuietThread quiet_;
  TempDir dir_;
  fs::path root_ = fs::canonical(dir_.path());
  Graph graph_ = graph_with_texts();
  RunConfig config_{.family = TextFamily()};
};

/// The four losses, both query forms, with and without what each can have.
void use_everything(TextFamily& config, QueryForm query) {
  config.model.query = query;
  config.model.dim = 12;
  config.text.context = 3;
  config.loss.kind = ContrastiveKind::hasa;
  config.loss.beta = 0.5;
  config.loss.tau = 0.01;
  config.negatives.hard = 2;
  config.negatives.random = 1;
  config.negatives.refresh_steps = 3;
  config.text.soft_neighbours = query == QueryForm::joint ? 4 : 0;
  config.text.soft_refresh = 2;
}

TEST_F(TextLearnerTest, GivesTheSameGradientInMicroBatches) {
  // Each portion draws its own dropout, so it is left out where the two are to be equal.
  model().dropout = 0;
  for (const QueryForm query : {QueryForm::gru, QueryForm::joint}) {
    use_everything(family(), query);
    family().terms.links = family().terms.frequency = query == QueryForm::joint;
    family().train.chunk_tokens = 0;
    const auto whole = learner();
    const StepReport one = whole->backward(0);
    EXPECT_GT(one.tokens, 2000);
    family().train.chunk_tokens = 500;
    const auto parts = learner();
    const StepReport many = parts->backward(0);
    EXPECT_NEAR(one.loss.item<double>(), many.loss.item<double>(), 1e-5);
    const Parameters a = whole->parameters(), b = parts->parameters();
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].tensor.grad().defined(), b[i].tensor.grad().defined()) << a[i].name;
      if (!a[i].tensor.grad().defined()) continue;
      const double off = (a[i].tensor.grad() - b[i].tensor.grad()).norm().item<double>();
      EXPECT_LT(off, 1e-4 * a[i].tensor.grad().norm().item<double>() + 1e-5) << a[i].name;
    }
  }
}

TEST_F(TextLearnerTest, SplitsStepsIfOnlyNewLayersAreTrained) {
  use_everything(family(), QueryForm::gru);
  model().tuned_layers = 0;
  family().train.chunk_tokens = 500;
  const auto trained = learner();
  trained->backward(0);
  for (const Parameter& p : trained->parameters()) {
    EXPECT_EQ(p.tensor.grad().defined(), p.kind != ParameterKind::language_model) << p.name;
  }
}

TEST_F(TextLearnerTest, RepeatsTheDropoutOfAMicroBatchInItsSecondPass) {
  // With one portion read twice, the gradient is right only if both readings dropped the same values: compare with
  // finite differences along the gradient, the generator put back each time.
  model().query = QueryForm::joint;
  model().dropout = 0.3;
  model().scale = 4;         // so that the loss is smooth over the distance
  family().loss.margin = 0;  // which has no gradient of its own
  family().train.chunk_tokens = 800;
  const auto trained = learner();
  const auto loss_at = [&] {
    at::manual_seed(6);
    return trained->backward(0).loss.item<double>();
  };
  loss_at();
  double slope = 0;
  std::vector<torch::Tensor> along;
  const Parameters parameters = trained->parameters();
  const torch::NoGradGuard no_grad;
  for (const Parameter& p : parameters) {
    along.push_back(p.tensor.grad().defined() ? p.tensor.grad().clone() : torch::zeros_like(p.tensor));
    slope += along.back().square().sum().item<double>();
    p.tensor.mutable_grad() = torch::Tensor();
  }
  const double length = std::sqrt(slope), h = 3e-3;
  const auto move = [&](double by) {
    for (std::size_t i = 0; i < along.size(); ++i) parameters[i].tensor.add_(along[i], by / length);
  };
  const auto forward_at = [&](double by) {
    move(by);
    double loss = 0;
    {
      const at::AutoGradMode with_grad(true);
      loss = loss_at();
    }
    move(-by);
    return loss;
  };
  EXPECT_NEAR((forward_at(h) - forward_at(-h)) / (2 * h) / length, 1, 0.005);
}

TEST_F(TextLearnerTest, LearnsInBothFormsWithEveryLoss) {
  family().train.epochs = 6;
  for (const QueryForm query : {QueryForm::gru, QueryForm::joint}) {
    for (const ContrastiveKind kind : {ContrastiveKind::simple, ContrastiveKind::hard, ContrastiveKind::hasa}) {
      model().query = query;
      model().dim = 16;
      family().loss.kind = kind;
      family().loss.beta = 0.3;
      family().loss.tau = 0.02;
      family().negatives.hard = kind == ContrastiveKind::simple ? 0 : 1;
      const std::string name = fmt::format("run-{}-{}", static_cast<int>(query), static_cast<int>(kind));
      const TrainedOutcome outcome = train(name);
      EXPECT_EQ(outcome.end, TrainEnd::finished);
      // By chance the mean of 1 / rank over 40 entities is .107.
      EXPECT_GT(outcome.state.best_mrr, 0.14) << name;
    }
  }
}

TEST_F(TextLearnerTest, TheBestModelOpensAgainAndScoresAsItsValidationDid) {
  for (const QueryForm query : {QueryForm::gru, QueryForm::joint}) {
    use_everything(family(), query);
    family().terms.links = family().terms.frequency = query == QueryForm::gru;
    family().optimiser.average = query == QueryForm::gru ? 0.9 : 0;
    const std::string name = query == QueryForm::gru ? "gru" : "joint";
    const TrainedOutcome outcome = train(name);
    const TrainedRun trained = open_trained(Run::open(root_ / name));
    const auto ranked =
        rank_split(*trained.scorer, *trained.graph, KnownAnswers::of_all_splits(*trained.graph), Split::valid);
    EXPECT_NEAR(metrics_of(ranked).mrr, outcome.state.best_mrr, 1e-12);
  }
}

TEST_F(TextLearnerTest, EndsInTheSameWeightsHoweverOftenItIsInterrupted) {
  for (const BankRefresh refresh : {BankRefresh::whole, BankRefresh::overwrite}) {
    use_everything(family(), refresh == BankRefresh::whole ? QueryForm::joint : QueryForm::gru);
    family().negatives.refresh = refresh;
    family().terms.links = family().terms.frequency = refresh == BankRefresh::whole;
    family().optimiser.average = refresh == BankRefresh::whole ? 0.9 : 0;
    const std::string whole = refresh == BankRefresh::whole ? "whole" : "overwrite", parts = whole + "-parts";
    EXPECT_EQ(train(whole).end, TrainEnd::finished);
    bool first = true;
    for (const int calls : {2, 5, 4}) {
      const InterruptAtStep interrupt(calls);  // counts groups of parameters, so it stops in any step
      EXPECT_EQ(train(parts, /*resume=*/!first).end, TrainEnd::interrupted);
      at::manual_seed(99);
      first = false;
    }
    EXPECT_EQ(train(parts, /*resume=*/true).end, TrainEnd::finished);
    expect_same(whole, parts, Run::kLast);
    expect_same(whole, parts, Run::kBest);
  }
}

TEST_F(TextLearnerTest, SavesTheAverageOfItsWeightsWhereAskedToAndGoesOnWithTheWeights) {
  family().train.epochs = 1;
  train("plain");
  family().optimiser.average = 1;
  train("averaged");
  const TensorFile plain = load_tensors(root_ / "plain" / Run::kLast),
                   averaged = load_tensors(root_ / "averaged" / Run::kLast),
                   best = load_tensors(root_ / "averaged" / Run::kBest);
  const std::string weight = "encoder.layer.1.output.dense.weight";
  EXPECT_TRUE(torch::equal(plain.at("model.language_model." + weight), averaged.at("model.language_model." + weight)));
  EXPECT_TRUE(torch::equal(best.at(weight), averaged.at("average.language_model." + weight)));
  EXPECT_FALSE(torch::equal(best.at(weight), averaged.at("model.language_model." + weight)));
}

TEST_F(TextLearnerTest, LearnsWhichLinkSpeaksForAnAnswer) {
  // s leads back wherever r leads; the texts are of a random graph and know nothing of it.
  std::string lines;
  Rng rng(7, "pairs");
  for (int i = 0; i < 120; ++i) {
    const std::uint64_t x = rng.below(40), y = rng.below(40);
    lines += fmt::format("e{}\tr\te{}\n", x, y) + (i % 2 == 0 ? fmt::format("e{}\ts\te{}\n", y, x) : "");
  }
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  graph_ = parse_triples({"t.tsv", lines}, {}, options);
  config_.graph = (root_ / "pairs").string();
  graph_.save(config_.graph);
  model().tuned_layers = 0;
  model().query = QueryForm::gru;
  model().dim = 8;
  family().terms.links = true;
  const auto trained = learner();
  for (int step = 0; step < 60; ++step) trained->step(step, 1);
  const RelationId r = *graph_.find_relation("r"), s = *graph_.find_relation("s");
  const Parameters parameters = trained->parameters();
  const torch::Tensor links = parameters.back().tensor.detach().view({4, 4});  // [asked, edge]
  EXPECT_GT(links[r][s + 2].item<float>(), 0.1) << "s leads back to the one that r is asked of";
  EXPECT_GT(links[r][s + 2].item<float>(), links[r][s].item<float>() + 0.1);
  EXPECT_EQ(links[r][r].item<float>(), 0) << "the edge asked for is never seen, and other answers are no negatives";
}

/// Items are in groups and like the place of their group. All items have the same text, so that an item's link to its
/// group says all there is to know; what every fifth item likes is asked in validation.
Graph items_in_groups() {
  std::string train, valid, names;
  for (int i = 0; i < 60; ++i) {
    const char group = static_cast<char>('a' + i / 5 % 6), place = static_cast<char>(group + 20);
    names += fmt::format("item{}\titem\t\n", i);
    train += fmt::format("item{}\tin\t{}\n", i, group);
    (i % 5 == 0 ? valid : train) += fmt::format("item{}\tlikes\t{}\n", i, place);
  }
  const NamedText entities{"entities.tsv", names};
  return parse_benchmark({"made up", {"train.txt", train}, {"valid.txt", valid}, {"test.txt", valid}, entities, {}},
                         {});
}

TEST_F(TextLearnerTest, ReadsAnAnswerOffTheSoftTokensOfNeighbours) {
  graph_ = items_in_groups();
  config_.graph = (root_ / "items").string();
  graph_.save(config_.graph);
  family().train.epochs = 40;
  family().train.batch = 16;
  family().train.validate_every = 8;
  family().optimiser.lr = 5e-3;
  family().optimiser.language_model_lr = 2e-3;
  model().dropout = 0;
  family().text.soft_refresh = 20;
  const double alone = train("alone").state.best_mrr;
  family().text.soft_neighbours = 3;
  const double told = train("told").state.best_mrr;
  // Without links the tail is one of a few places and the head one of the items, which look the same.
  EXPECT_LT(alone, 0.45);
  EXPECT_GT(told, 0.7);
}

TEST_F(TextLearnerTest, TrainsSoftTokensThoughTheLanguageModelIsFixed) {
  model().tuned_layers = 0;
  family().text.soft_neighbours = 3;
  family().train.chunk_tokens = 500;
  const auto trained = learner();
  trained->backward(0);
  for (const Parameter& p : trained->parameters()) {
    ASSERT_EQ(p.tensor.grad().defined(), p.kind != ParameterKind::language_model) << p.name;
    if (!TextModel::is_of_soft_tokens(p)) continue;
    EXPECT_GT(p.tensor.grad().norm().item<double>(), 0) << p.name;
  }
}

TEST_F(TextLearnerTest, GivesWhatMakesSoftTokensAGradientOfZeroInAStepThatHasNone) {
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  // Each entity has the one edge that is left out of its text.
  graph_ = parse_triples({"t.tsv", "a\tr\tb\nc\tr\td\n"}, {}, options);
  config_.graph = (root_ / "pairs").string();
  graph_.save(config_.graph);
  model().tuned_layers = 0;
  family().text.soft_neighbours = 3;
  family().train.batch = 4;
  for (const std::int64_t chunk_tokens : {0, 20}) {
    family().train.chunk_tokens = chunk_tokens;
    const auto trained = learner();
    trained->backward(0);
    for (const Parameter& p : trained->parameters()) {
      if (!TextModel::is_of_soft_tokens(p)) continue;
      ASSERT_TRUE(p.tensor.grad().defined()) << p.name;
      EXPECT_EQ(p.tensor.grad().abs().max().item<float>(), 0) << p.name;
    }
  }
}

TEST_F(TextLearnerTest, TrainsTheLastLayersAloneWhenAskedTo) {
  model().tuned_layers = 1;
  family().train.epochs = 1;
  train("run");
  const TensorFile before = load_tensors(root_ / "bert/model.safetensors"),
                   after = load_tensors(root_ / "run" / Run::kBest);
  const auto changed = [&](const std::string& name) { return !torch::equal(before.at(name), after.at(name)); };
  EXPECT_FALSE(changed("embeddings.word_embeddings.weight"));
  EXPECT_FALSE(changed("encoder.layer.0.output.dense.weight"));
  EXPECT_TRUE(changed("encoder.layer.1.output.dense.weight"));
}

TEST_F(TextLearnerTest, ReadsAnEntityAndAQueryAsTheMeanOfItsDraws) {
  family().text.context = 2;
  family().text.draws = 3;
  const LanguageModel language_model = LanguageModel::open(family().language_model.path);
  const TextModel model =
      open_text_model(TextModelConfig{}, family().language_model, language_model.folder, torch::kCPU);
  const TextInputs inputs = text_inputs(graph_, config_.graph, family().text, language_model);
  const auto read = [&](const PackedInputs& texts) {
    return encode_all(model.working(), TokenRows{texts.ids, texts.offsets, texts.segments});
  };
  const auto unit = [](const torch::Tensor& x) { return x / x.norm(2, 1, true); };
  torch::Tensor entities = torch::zeros({1}), query = torch::zeros({1});
  for (const std::uint32_t draw : {0, 1, 2}) {
    entities = entities + read(inputs.all_entities(draw));
    const TextRequest request = TextRequest::of_query(5, 1, draw);
    query = query + read(inputs.for_evaluation({&request, 1}));
  }
  const std::unique_ptr<VectorScorer> scorer = make_scorer(model, inputs);
  EXPECT_TRUE(torch::allclose(scorer->entities(), unit(entities), 1e-5, 1e-5));
  const auto ids = [](std::int64_t id) { return torch::tensor({id}, torch::kInt64); };
  EXPECT_TRUE(torch::allclose(scorer->query_vectors(testing::queries_of(ids(5), ids(1))), unit(query), 1e-5, 1e-5));
  EXPECT_FALSE(torch::allclose(scorer->entities(), entity_vectors(model, inputs, /*draws=*/1), 1e-5, 1e-5));
}

}  // namespace
}  // namespace hasa
