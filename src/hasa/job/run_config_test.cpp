#include "hasa/job/run_config.h"

#include <initializer_list>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

void check_with(std::initializer_list<const char*> assignments) {
  RunConfig config;
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

TEST(RunConfig, HasNoOptionsThatMeanNothingToItsFamily) {
  EXPECT_ERROR(check_with({"text.context=8"}), "model.type is frozen, and only model.type=text has it");
  EXPECT_ERROR(check_with({"negatives.hard=3"}), "only model.type=text has it\nset model.type first");
  EXPECT_ERROR(check_with({"train.chunk_tokens=99"}), "model.type=text");
  EXPECT_ERROR(check_with({"language_model.fused=false"}), "model.type=text");
  EXPECT_ERROR(check_with({"model.type=transe", "loss.kind=hard"}),
               "only model.type=frozen, text, simkgc or star has it");
  EXPECT_ERROR(check_with({"model.type=kbgan", "negatives.hard=2"}), "only model.type=frozen, text, ");
  EXPECT_ERROR(check_with({"model.type=complex", "text.max_tokens=9"}), "only model.type=frozen, text, ");
  EXPECT_ERROR(check_with({"tables.negatives=9"}), "model.type=transe, distmult, ");
  EXPECT_ERROR(check_with({"optimiser.kind=adagrad"}), "model.type=transe");
  EXPECT_ERROR(check_with({"model.type=transe", "optimiser.scale_lr=1"}), "only model.type=frozen, text");
}

TEST(RunConfig, KeepsWhatWasSetBeforeTheTypeWhereTheNewTypeHasItToo) {
  RunConfig config;
  for (const char* each : {"loss.tau=0.25", "model.dim=64", "train.epochs=3", "model.type=text"})
    apply_assignment(fields_of(config), each);
  const auto& text = std::get<TextFamily>(config.family);
  EXPECT_EQ(text.loss.tau, 0.25);
  EXPECT_EQ(text.model.dim, 64);
  EXPECT_EQ(text.train.epochs, 3);
  EXPECT_EQ(text.negatives.hard, NegativesConfig().hard);
}

TEST(RunConfig, ReadsSectionsThatStandBeforeTheTypeInAFile) {
  RunConfig config;
  apply_yaml(fields_of(config), "tables: {negatives: 9}\nseed: 5\nmodel: {type: rotate, dim: 8}\n", "f.yaml");
  EXPECT_EQ(std::get<RotatEFamily>(config.family).tables.negatives, 9);
  EXPECT_EQ(config.seed, 5U);
}

TEST(RunConfig, IsWrittenWithItsOwnSectionsAloneAndReadBack) {
  RunConfig config;
  apply_yaml(fields_of(config), "model: {type: complex, dim: 8}\noptimiser: {kind: adagrad}\n", "f.yaml");
  const std::string yaml = to_yaml(fields_of(config));
  EXPECT_EQ(yaml.find("language_model"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("model:\n  type: complex\n  dim: 8\n"), std::string::npos) << yaml;
  RunConfig again;
  apply_yaml(fields_of(again), yaml, "f.yaml");
  EXPECT_EQ(to_yaml(fields_of(again)), yaml);
}

TEST(CheckOptions, RejectsContextSamplesWithoutContext) {
  EXPECT_ERROR(check_with({"model.type=text", "text.draws=4"}),
               "without text.context or text.soft_neighbours there is nothing to sample");
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

TEST(CheckOptions, RefusesComplexVectorsOfAnOddSize) {
  EXPECT_ERROR(check_with({"model.type=kbgan", "model.generator=complex", "model.generator_dim=101"}),
               "model.generator_dim is 101");
}

TEST(CheckOptions, RejectsOptionsOfOtherTrainingModes) {
  const char* all = "tables.training=one_vs_all";
  EXPECT_ERROR(check_with({"model.type=complex", all, "tables.loss=margin"}), "needs sampled negatives");
  EXPECT_ERROR(check_with({"model.type=complex", all, "tables.shared=8"}), "tables.shared has no effect");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.shared=8", "tables.filtered=yes"}), "negatives per triple");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.label_smoothing=0.1"}), "label_smoothing has no effect");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.candidate_dropout=0.1"}), "candidate_dropout has no effect");
  EXPECT_ERROR(check_with({"model.type=transe", "tables.self_negative=true", "tables.training=one_vs_all"}),
               "self_negative needs negatives per triple");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.weights=by_query", "tables.training=one_vs_all"}),
               "tables.weights needs sampled negatives");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.loss=margin"}), "needs a margin");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.offset=1"}), "tables.offset has no effect");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.training=k_vs_all", "tables.relation_prediction=1"}),
               "queries instead of triples");
  for (const char* of_vectors :
       {"tables.relation_prediction=1", "tables.relation_dropout=0.1", "tables.relation_regulariser=1"}) {
    EXPECT_ERROR(check_with({"model.type=rotate", of_vectors}), "whose relations are angles");
  }
  EXPECT_ERROR(check_with({"model.type=complex", "tables.temperature=0.5"}), "set that loss");
  EXPECT_ERROR(check_with({"model.type=complex", all, "tables.negatives=9"}), "tables.negatives has no effect");
  EXPECT_ERROR(check_with({"model.type=complex", "tables.tf32=true"}),
               "tables.tf32 has no effect with tables.training=negative_sampling");
  EXPECT_ERROR(check_with({"model.type=rotate", "tables.training=one_vs_all", "tables.tf32=true"}), "are distances");
  EXPECT_ERROR(check_with({"model.type=complex", "optimiser.clip=1"}), "optimiser.clip has no effect");
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
  EXPECT_ERROR(check_with({"model.type=text", "model.tuned_layers=0"}), "set model.tuned_layers to at least 1");
  check_with({"model.type=text", "model.tuned_layers=0", "model.query=gru"});
}

TEST(CheckOptions, RefusesAStepWithoutNegatives) {
  EXPECT_ERROR(check_with({"model.type=text", "train.batch=1", "negatives.heads=0"}),
               "without other candidates has no negatives");
  check_with({"model.type=text", "train.batch=1", "negatives.heads=0", "negatives.random=1"});
}

TEST(CheckOptions, RejectsOptionsOfOtherLosses) {
  EXPECT_ERROR(check_with({"model.type=text", "negatives.refresh=overwrite"}), "without mined negatives");
  EXPECT_ERROR(check_with({"loss.paper_listing=yes"}), "set loss.kind=hasa");
  EXPECT_ERROR(check_with({"model.type=text", "loss.kind=hasa", "loss.weight_gradient=yes"}), "without beta");
}

}  // namespace
}  // namespace hasa
