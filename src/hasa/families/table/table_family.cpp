#include "hasa/families/table/table_family.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/families/grown_weights.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/table/sharded_table_scorer.h"
#include "hasa/families/table/table_learner.h"
#include "hasa/families/table/table_memory.h"
#include "hasa/families/text_facts.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

void check_table_loss(const TableTrainingConfig& tables) {
  const bool sampled = tables.training == TableTraining::negative_sampling;
  HASA_CHECK(sampled || tables.loss == RowLossKind::cross_entropy || tables.loss == RowLossKind::bce, config,
             "this tables.loss needs sampled negatives, but tables.training uses all entities\nset "
             "tables.loss=cross_entropy or bce, or tables.training=negative_sampling");
  const char* unused = sampled ? tables.needs_all_entities() : nullptr;
  HASA_CHECK(unused == nullptr, config,
             "tables.{} has no effect with tables.training=negative_sampling\nremove it, or set "
             "tables.training=one_vs_all or k_vs_all",
             unused);
  HASA_CHECK(sampled || tables.sharded != TableSharding::always, config,
             "tables.sharded=always needs sampled negatives: a loss over all entities takes all their vectors at "
             "once\nset tables.sharded=auto, or tables.training=negative_sampling");
  const bool other_number = tables.negatives != TableTrainingConfig().negatives;
  HASA_CHECK(sampled || (tables.shared == 0 && !tables.filtered && !other_number), config,
             "tables.{} has no effect if all entities are candidates\nremove it, or set "
             "tables.training=negative_sampling",
             other_number        ? "negatives"
             : tables.shared > 0 ? "shared"
                                 : "filtered");
  HASA_CHECK(tables.shared == 0 || !tables.filtered, config,
             "tables.filtered needs negatives per triple: an answer of one triple may be a negative of another\nremove "
             "it, or set tables.shared=0");
  HASA_CHECK(!tables.self_negative || (sampled && tables.shared == 0), config,
             "tables.self_negative needs negatives per triple\nremove it, or set "
             "tables.training=negative_sampling and tables.shared=0");
  HASA_CHECK(sampled || tables.weights == ExampleWeighting::evenly, config,
             "tables.weights needs sampled negatives\nremove it, or set "
             "tables.training=negative_sampling");
  HASA_CHECK(tables.temperature == 1 || tables.loss == RowLossKind::self_adversarial, config,
             "tables.temperature only applies to tables.loss=self_adversarial\nremove it, or set that loss");
  HASA_CHECK(tables.offset == 0 || tables.loss != RowLossKind::cross_entropy, config,
             "tables.offset has no effect with tables.loss=cross_entropy\nremove it, or set another loss");
  HASA_CHECK(tables.loss != RowLossKind::margin || tables.offset > 0, config,
             "tables.loss=margin needs a margin\nset tables.offset=1, for example");
  const bool predicts = tables.relation_prediction > 0 || tables.entity_regulariser > 0;
  HASA_CHECK(
      !predicts || tables.training != TableTraining::k_vs_all, config,
      "tables.training=k_vs_all trains on queries instead of triples: it has no {}\nset tables.training=one_vs_all",
      tables.relation_prediction > 0 ? "relation_prediction" : "entity_regulariser");
}

std::string score_of(const TableModelConfig& model) {
  if (model.form == TableForm::rotate) return "negative sum of moduli of query minus entity";
  if (model.form == TableForm::transe) return fmt::format("negative L{} distance of query and entity", model.norm);
  return "dot product of query and entity";
}

}  // namespace

void check(const TableFamily& config, const torch::Device&) {
  const TableTrainingConfig& tables = config.tables;
  const TableModelConfig& model = config.model;
  check_table_loss(tables);
  HASA_CHECK(model.precision == TablePrecision::fp32 || tables.training == TableTraining::negative_sampling, config,
             "model.precision=bf16 needs tables.training=negative_sampling, which updates single rows of the "
             "table\nset model.precision=fp32, or tables.training=negative_sampling");
  HASA_CHECK(config.optimiser.clip == 0 || tables.training != TableTraining::negative_sampling, config,
             "optimiser.clip has no effect with tables.training=negative_sampling, which never has a full "
             "gradient\nremove it");
  const bool products = model.form == TableForm::distmult || model.form == TableForm::complex;
  HASA_CHECK(products || (!tables.tf32 && tables.candidate_dropout == 0), config,
             "tables.{} is no use with {}, whose scores are distances instead of products\nremove it",
             tables.tf32 ? "tf32" : "candidate_dropout", to_string(model.form));
  const char* of_vectors = tables.relation_prediction > 0    ? "relation_prediction"
                           : tables.relation_dropout > 0     ? "relation_dropout"
                           : tables.relation_regulariser > 0 ? "relation_regulariser"
                                                             : nullptr;
  HASA_CHECK(model.form != TableForm::rotate || of_vectors == nullptr, config,
             "tables.{} does not work with model.type=rotate, whose relations are angles\nremove it", of_vectors);
}

std::unique_ptr<Learner> make_learner(const TableFamily& config, const TrainContext& context) {
  at::manual_seed(context.seed);
  return std::make_unique<TableLearner>(config, context);
}

std::unique_ptr<Scorer> open_scorer(const TableFamily& config, const OpenContext& context) {
  if (shards_entities(config, context.graph, context.device, context.comm))
    return open_sharded_table_scorer(config.model, context.run / Run::kBest, context.graph, context.device,
                                     context.comm);
  const TableModel model(config.model, context.graph.entities(), context.graph.relations(), context.device);
  load_grown(model.parameters(), load_weights(context.run / Run::kBest), context.run);
  return model.scorer();
}

ModelFacts facts(const TableFamily& config) {
  return {.name = fmt::format("{}, dimension {}{}", to_string(config.model.form), config.model.dim,
                              config.model.reciprocal ? ", with reciprocal relations" : ""),
          .language_model = "none",
          .text_template = kNoText,
          .context = "none",
          .training_graph = "nothing: entities and relations are only embeddings",
          .score = score_of(config.model)};
}

std::int64_t opening_bytes(const TableFamily& config, const Run& run, const Graph& graph) {
  return bytes_of_vectors(run, graph, config.model.dim);
}

}  // namespace hasa
