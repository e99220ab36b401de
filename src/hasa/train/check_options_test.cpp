#include "hasa/train/check_options.h"

#include <initializer_list>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

void check_with(std::initializer_list<const char*> assignments) {
  TrainConfig config;
  for (const char* each : assignments) apply_assignment(fields_of(config), each);
  check_options(config, torch::kCPU);
}

TEST(CheckOptions, TakesTheDefaultsAndEveryLoss) {
  check_with({});
  check_with({"model.type=text"});
  for (const char* kind : {"loss.kind=simple", "loss.kind=hard", "loss.kind=hasa"}) {
    check_with({kind, "loss.beta=1"});
    check_with({"model.type=text", kind, "loss.beta=1", "negatives.hard=2", "negatives.refresh=overwrite"});
  }
}

TEST(CheckOptions, RefusesOverAFrozenModelWhatOnlyATrainedOneReads) {
  EXPECT_ERROR(check_with({"text.context=8"}), "text.context is 8, but a frozen language model reads");
  EXPECT_ERROR(check_with({"negatives.hard=3"}), "negatives.hard does nothing over a frozen language model");
  EXPECT_ERROR(check_with({"negatives.random=3"}), "negatives.random does nothing over a frozen language model");
  EXPECT_ERROR(check_with({"train.chunk_tokens=99"}), "model.type=text");
  EXPECT_ERROR(check_with({"language_model.fused=false"}), "language_model.fused is about training");
}

TEST(CheckOptions, RefusesDrawsWhereThereIsNothingToDraw) {
  EXPECT_ERROR(check_with({"model.type=text", "text.draws=4"}), "without text.context there is nothing to draw");
  check_with({"model.type=text", "text.draws=4", "text.context=8"});
}

TEST(CheckOptions, TakesEveryTrainingOfAModelWithoutText) {
  for (const char* model : {"model.type=transe", "model.type=distmult", "model.type=complex", "model.type=rotate"}) {
    check_with({model});
    check_with({model, "tables.loss=self_adversarial", "tables.offset=6", "optimiser.kind=row_adagrad"});
    check_with({model, "tables.training=k_vs_all", "tables.label_smoothing=0.1"});
  }
  check_with({"model.type=kbgan", "model.discriminator=transd"});
}

TEST(CheckOptions, RefusesWhatAModelWithoutTextDoesNotRead) {
  EXPECT_ERROR(check_with({"model.type=transe", "loss.kind=hard"}), "loss does nothing with TransE, which reads no");
  EXPECT_ERROR(check_with({"model.type=kbgan", "negatives.hard=2"}), "negatives does nothing with KBGAN");
  EXPECT_ERROR(check_with({"model.type=complex", "text.max_tokens=9"}), "text does nothing with ComplEx");
  EXPECT_ERROR(check_with({"model.type=kbgan", "language_model.pool=cls"}), "language_model does nothing with KBGAN");
  EXPECT_ERROR(check_with({"model.type=kbgan", "model.generator=complex", "model.generator_dim=101"}),
               "model.generator_dim is 101");
  EXPECT_ERROR(check_with({"tables.negatives=9"}), "tables is for models with a vector for each entity");
  EXPECT_ERROR(check_with({"optimiser.kind=adagrad"}), "others are trained by adamw");
}

TEST(CheckOptions, RefusesOptionsOfATrainingThatIsNotChosen) {
  const char* all = "tables.training=one_vs_all";
  EXPECT_ERROR(check_with({"model.type=complex", all, "tables.loss=margin"}), "of negatives that were drawn");
  EXPECT_ERROR(check_with({"model.type=complex", all, "tables.shared=8"}), "tables.shared does nothing");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.shared=8", "tables.filtered=yes"}), "negatives of one triple");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.label_smoothing=0.1"}), "label_smoothing does nothing");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.candidate_dropout=0.1"}), "candidate_dropout does nothing");
  EXPECT_ERROR(check_with({"model.type=transe", "tables.self_negative=true", "tables.training=one_vs_all"}),
               "self_negative goes with negatives of each triple's own");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.weights=by_query", "tables.training=one_vs_all"}),
               "tables.weights goes with negatives that were drawn");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.loss=margin"}), "needs a margin");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.offset=1"}), "tables.offset does nothing");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.training=k_vs_all", "tables.relation_prediction=1"}),
               "queries and not triples");
  for (const char* of_vectors :
       {"tables.relation_prediction=1", "tables.relation_dropout=0.1", "tables.relation_regulariser=1"}) {
    EXPECT_ERROR(check_with({"model.type=rotate", of_vectors}), "whose relations are angles");
  }
  EXPECT_ERROR(check_with({"model.type=complex", "tables.temperature=0.5"}), "set that loss");
  EXPECT_ERROR(check_with({"model.type=complex", all, "tables.negatives=9"}), "tables.negatives does nothing");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.tf32=true"}),
               "tables.tf32 does nothing with tables.training=negative_sampling");
  EXPECT_ERROR(check_with({"model.type=rotate", "tables.training=one_vs_all", "tables.tf32=true"}), "are distances");
  EXPECT_ERROR(check_with({"model.type=complex", "optimiser.clip=1"}), "optimiser.clip does nothing");
}

TEST(CheckOptions, TakesEntitiesInBf16WithSampledNegativesAlone) {
  const char* half = "model.precision=bf16";
  for (const char* model : {"model.type=transe", "model.type=distmult", "model.type=complex", "model.type=rotate"}) {
    check_with({model, half});
    check_with({model, half, "tables.shared=8", "optimiser.kind=row_adagrad"});
    for (const char* training : {"tables.training=one_vs_all", "tables.training=k_vs_all"}) {
      EXPECT_ERROR(check_with({model, half, training}),
                   "set model.precision=fp32, or tables.training=negative_sampling");
    }
  }
  EXPECT_ERROR(check_with({"model.type=kbgan", half}), "model.precision");
  EXPECT_ERROR(check_with({"model.type=transe", "model.precision=fp8"}), "bf16");
}

TEST(CheckOptions, RefusesToTrainALanguageModelInBf16OnACpu) {
  EXPECT_ERROR(check_with({"model.type=text", "language_model.precision=bf16"}), "set it to auto or fp32");
  check_with({"language_model.precision=bf16"});  // only read
}

TEST(CheckOptions, RefusesATrainingOfNothing) {
  EXPECT_ERROR(check_with({"model.type=text", "model.tuned_layers=0"}), "set model.tuned_layers=1 at least");
  check_with({"model.type=text", "model.tuned_layers=0", "model.query=gru"});
}

TEST(CheckOptions, RefusesAStepWithoutNegatives) {
  EXPECT_ERROR(check_with({"model.type=text", "train.batch=1", "negatives.heads=0"}),
               "nothing to tell its answer from");
  check_with({"model.type=text", "train.batch=1", "negatives.heads=0", "negatives.random=1"});
}

TEST(CheckOptions, RefusesOptionsOfALossThatIsNotChosen) {
  EXPECT_ERROR(check_with({"model.type=text", "negatives.refresh=overwrite"}), "without mined negatives");
  EXPECT_ERROR(check_with({"loss.paper_listing=yes"}), "set loss.kind=hasa");
  EXPECT_ERROR(check_with({"model.type=text", "loss.kind=hasa", "loss.weight_gradient=yes"}), "without beta");
}

}  // namespace
}  // namespace hasa
