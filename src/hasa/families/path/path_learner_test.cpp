#include "hasa/families/path/path_learner.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include "hasa/base/testing.h"
#include "hasa/families/path/path_graphs_for_tests.h"
#include "hasa/families/path/path_scorer.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

PathFamily small_config() {
  PathFamily config;
  config.model.dim = 16;
  config.model.layers = 3;
  config.optimiser.lr = 5e-3;
  config.optimiser.weight_decay = 0;
  config.train.batch = 16;
  return config;
}

/// Trains for some steps and returns the mean loss of the last ten.
double train(PathLearner& learner, std::int64_t steps) {
  double loss = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    const StepReport report = learner.step(step, 1.0);
    if (step + 10 >= steps) loss += report.loss.item<double>() / 10;
  }
  return loss;
}

class PathLearnerTest : public ::testing::Test {
 protected:
  std::unique_ptr<PathLearner> make(const PathFamily& config) {
    at::manual_seed(3);
    return std::make_unique<PathLearner>(config, TrainContext{graph_, dir_.path(), torch::kCPU, 3});
  }
  /// How many of the left out triples have their country before the two others.
  double right_countries(const Scorer& scorer) const {
    const auto asked = graph_.triples(Split::test);
    std::int64_t right = 0;
    for (const Triple& triple : asked) {
      const torch::Tensor scores = scorer.scores(std::array{query_of(triple)})[0];
      bool best = true;
      for (const char* id : {"country0", "country1", "country2"}) {
        const EntityId country = *graph_.find_entity(id);
        best = best && (country == triple.tail || scores[country].item<float>() < scores[triple.tail].item<float>());
      }
      right += best ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(asked.size());
  }

  testing::TempDir dir_;
  Graph graph_ = testing::citizens();
};

TEST_F(PathLearnerTest, LearnsARuleOfTwoStepsThatASavedModelStillKnows) {
  const auto learner = make(small_config());
  train(*learner, 150);
  const auto scorer = learner->scorer();
  EXPECT_GE(right_countries(*scorer), 0.8);

  learner->save_model(dir_.path(), {});
  const PathModel model(small_config().model, graph_.relations(), torch::kCPU);
  copy_into(model.parameters(), load_tensors(dir_ / "model.safetensors"));
  const PathScorer opened(model, training_paths(graph_));
  const std::array<Query, 2> queries{Query{0, 0}, {3, 4}};
  EXPECT_TRUE(torch::equal(opened.scores(queries), scorer->scores(queries)));
}

TEST_F(PathLearnerTest, LearnsWithDrawnNegativesAndHiddenPairs) {
  PathFamily config = small_config();
  config.paths.loss = PathLoss::self_adversarial;
  config.paths.negatives = 16;
  config.paths.hide = PathHiding::pair;
  const auto learner = make(config);
  train(*learner, 200);
  EXPECT_GE(right_countries(*learner->scorer()), 0.8);
}

TEST_F(PathLearnerTest, TakesAnyStepUpAgain) {
  const auto straight = make(small_config()), resumed = make(small_config());
  (void)straight->step(4, 1.0);
  const auto far_ahead = make(small_config());
  (void)resumed->backward(7);  // what is drawn for a step does not depend on the steps before
  for (const Parameter& p : resumed->parameters()) p.tensor.mutable_grad() = torch::Tensor();
  (void)resumed->step(4, 1.0);
  const auto a = straight->parameters(), b = resumed->parameters();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(torch::equal(a[i].tensor, b[i].tensor)) << a[i].name;
}

TEST_F(PathLearnerTest, NeverReadsAnEdgeOfValidOrTest) {
  // The same training triples with other valid and test ones are the same training and the same scores.
  const auto learner = make(small_config());
  train(*learner, 3);
  std::string triples;
  for (const Triple& t : graph_.triples(Split::train)) {
    triples +=
        fmt::format("{}\t{}\t{}\n", graph_.entity_id(t.head), graph_.relation_id(t.relation), graph_.entity_id(t.tail));
  }
  const Graph other = testing::graph_of(triples, "person1\tcitizen_of\tcountry0\n", "person2\tlives_in\tcity5\n");
  ASSERT_EQ(other.entities(), graph_.entities());
  at::manual_seed(3);
  PathLearner second(small_config(), TrainContext{other, dir_.path(), torch::kCPU, 3});
  train(second, 3);
  const EntityId person = *graph_.find_entity("person7"), same = *other.find_entity("person7");
  const torch::Tensor scores = learner->scorer()->scores(std::array{Query{person, 1}});
  const torch::Tensor others = second.scorer()->scores(std::array{Query{same, 1}});
  EXPECT_TRUE(torch::equal(scores, others));
}

TEST(PathFamilyCheck, RefusesWhatDoesNotFitTogether) {
  PathFamily config;
  config.model.dim = 24;
  EXPECT_ERROR(check(config, torch::kCPU), "8, 16, 32, 64 or 128");
  config.model.dim = 32;
  config.paths.hide = PathHiding::pair;
  EXPECT_ERROR(check(config, torch::kCPU), "set paths.negatives=32");
  config.paths.hide = PathHiding::batch;
  config.paths.temperature = 0.5;
  EXPECT_ERROR(check(config, torch::kCPU), "paths.loss=self_adversarial");
}

}  // namespace
}  // namespace hasa
