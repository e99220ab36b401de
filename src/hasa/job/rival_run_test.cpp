// Runs of SimKGC, StAR and the re-ranking by the graph from their configs: interrupted, resumed, opened again.

#include <ATen/Context.h>

#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

class RivalRun : public ::testing::Test {
 protected:
  RivalRun() {
    SyntheticOptions options;
    options.entities = 40;
    options.relations = 2;
    options.triples = 150;
    options.groups = 4;
    options.noise = 0;
    options.texts = true;
    options.split.valid = 0.1;
    synthetic_graph(options).save(root_ / "graph");
    testing::write_tiny_bert(root_ / "bert");
  }
  SimkgcFamily simkgc() const {
    SimkgcFamily family;
    family.text.neighbours = 5;
    family.negatives.pre_batches = 2;
    return short_run(family);
  }
  StarFamily star() const {
    StarFamily family;
    family.optimiser.lr = 1e-2;
    return short_run(family);
  }
  template <class F>
  F short_run(F family) const {
    family.language_model.path = (root_ / "bert").string();
    family.text.max_tokens = 48;
    family.optimiser.language_model_lr = 3e-3;
    family.optimiser.clip = 5;
    family.train.epochs = 3;
    family.train.batch = 64;
    return family;
  }
  TrainedOutcome train(const Family& family, const char* out, bool resume = false) const {
    return train_run({.graph = (root_ / "graph").string(), .device = "cpu", .family = family}, root_ / out, resume);
  }
  void expect_same_however_interrupted(const Family& family) const {
    EXPECT_EQ(train(family, "whole").end, TrainEnd::finished);
    bool first = true;
    for (const int calls : {3, 9}) {  // two groups of parameters a step, five steps an epoch
      const testing::InterruptAtStep interrupt(calls);
      EXPECT_EQ(train(family, "parts", /*resume=*/!first).end, TrainEnd::interrupted);
      at::manual_seed(99);
      first = false;
    }
    EXPECT_EQ(train(family, "parts", /*resume=*/true).end, TrainEnd::finished);
    for (const char* file : {Run::kLast, Run::kBest}) {
      const TensorFile a = load_tensors(root_ / "whole" / file), b = load_tensors(root_ / "parts" / file);
      ASSERT_EQ(a.tensors.size(), b.tensors.size());
      for (const auto& [name, tensor] : a.tensors) EXPECT_TRUE(torch::equal(tensor, b.at(name))) << name;
    }
  }
  double validation_mrr_of(const char* out) const {
    const TrainedRun trained = open_trained(Run::open(root_ / out));
    return metrics_of(
               rank_split(*trained.scorer, *trained.graph, KnownAnswers::of_all_splits(*trained.graph), Split::valid))
        .mrr;
  }

  testing::OneQuietThread quiet_;
  testing::TempDir dir_;
  fs::path root_ = fs::canonical(dir_.path());
};

TEST_F(RivalRun, OfSimkgcEndsInTheSameWeightsHoweverOftenItIsInterrupted) { expect_same_however_interrupted(simkgc()); }

TEST_F(RivalRun, OfStarEndsInTheSameWeightsHoweverOftenItIsInterrupted) { expect_same_however_interrupted(star()); }

TEST_F(RivalRun, OfSimkgcOpensAgainWithTheScoresOfItsValidation) {
  const TrainedOutcome outcome = train(simkgc(), "run");
  EXPECT_NEAR(validation_mrr_of("run"), outcome.state.best_mrr, 1e-12);
}

TEST_F(RivalRun, OfStarLearnsAndOpensAgainWithTheScoresOfItsValidation) {
  StarFamily family = star();
  family.train.epochs = 8;
  family.train.batch = 16;
  const TrainedOutcome outcome = train(family, "run");
  EXPECT_GT(outcome.state.best_mrr, 0.14);  // by chance the mean of 1 / rank over 40 entities is .107
  EXPECT_NEAR(validation_mrr_of("run"), outcome.state.best_mrr, 1e-12);
}

TEST_F(RivalRun, OfAReRankingIsTheOtherRunsWithoutABonusAndNamesItInItsCertificate) {
  const TrainedOutcome alone = train(PopularityFamily{}, "popularity");
  GraphRerankFamily family;
  family.model.run = (root_ / "popularity").string();
  family.model.bonus = 0;
  EXPECT_NEAR(train(family, "unchanged").state.best_mrr, alone.state.best_mrr, 1e-12);
  family.model.bonus = 1000;
  const double near = train(family, "near").state.best_mrr;
  EXPECT_NE(near, alone.state.best_mrr);
  EXPECT_NEAR(validation_mrr_of("near"), near, 1e-12);
  const auto parts = parts_of(family, Run::open(root_ / "near"));
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].name, "popularity");
  EXPECT_NE(facts(family).score.find("+1000 for entities within 2 training edges"), std::string::npos);
  fs::remove_all(root_ / "popularity");
  EXPECT_ERROR(open_trained(Run::open(root_ / "near")), "is made of popularity, which is not at");
}

}  // namespace
}  // namespace hasa
