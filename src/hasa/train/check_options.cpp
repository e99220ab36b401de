#include "hasa/train/check_options.h"

#include <variant>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/model/table_model.h"
#include "hasa/ops/device.h"

namespace hasa {
namespace {

/// Whether a section is as it would be unset.
template <class Section>
bool is_default(const Section& section) {
  Section given = section, unset;
  return to_yaml(fields_of(given)) == to_yaml(fields_of(unset));
}

constexpr const char* kOrTrainIt = "leave it out, or train the language model too with model.type=text";

void check(const TrainConfig& config, const HasaConfig&, const torch::Device&) {
  HASA_CHECK(config.text.context == 0, config,
             "text.context is {}, but a frozen language model reads an entity's own words alone\nmodel.context_layers "
             "adds what its neighbours say; {}",
             config.text.context, kOrTrainIt);
  HASA_CHECK(config.negatives.hard == 0 && config.negatives.random == 0, config,
             "negatives.{} does nothing over a frozen language model: all entities are candidates already\n{}",
             config.negatives.hard > 0 ? "hard" : "random", kOrTrainIt);
  HASA_CHECK(config.memory_limit.empty(), config,
             "memory_limit does nothing over a frozen language model: a smaller train.batch takes less\n{}",
             kOrTrainIt);
  HASA_CHECK(config.language_model.fused, config,
             "language_model.fused is about training the language model, and this one is frozen\n{}", kOrTrainIt);
  HASA_CHECK(config.train.chunk_tokens == 0, config,
             "train.chunk_tokens does nothing over a frozen language model, which reads each text once\n{}",
             kOrTrainIt);
}

void check_negatives(const TrainConfig& config) {
  const NegativesConfig& negatives = config.negatives;
  const bool any = config.train.batch > 1 || negatives.heads * static_cast<double>(config.train.batch) >= 1 ||
                   negatives.hard > 0 || negatives.random > 0;
  HASA_CHECK(any, config,
             "a step of one triple without other candidates has nothing to tell its answer from\nset a greater "
             "train.batch, or negatives.random=1 at least");
  HASA_CHECK(negatives.refresh == BankRefresh::whole || negatives.hard > 0, config,
             "negatives.refresh does nothing without mined negatives\nleave it out, or set negatives.hard=1 at least");
}

void check_loss(const ContrastiveConfig& loss, const NegativesConfig& negatives) {
  HASA_CHECK(!loss.tail_to_query || !loss.mask_true_queries || negatives.kept_out == KeptOut::known, config,
             "loss.mask_true_queries knows true queries by what negatives.kept_out keeps out, which is the answer "
             "alone\nset loss.mask_true_queries=false, or negatives.kept_out=known");
  HASA_CHECK(!loss.paper_listing || loss.kind == ContrastiveKind::hasa, config,
             "loss.paper_listing is a form of HaSa\nleave it out, or set loss.kind=hasa");
  const bool weighted = loss.kind != ContrastiveKind::simple && loss.beta > 0 && !loss.paper_listing;
  HASA_CHECK(!loss.weight_gradient || weighted, config,
             "loss.weight_gradient does nothing: without beta all negatives weigh alike\nleave it out, or set "
             "loss.kind=hard or hasa and loss.beta=1");
  if (loss.kind == ContrastiveKind::hard && loss.beta == 0) {
    log_warning("loss.kind=hard with loss.beta=0 is loss.kind=simple; the paper has loss.beta=1");
  }
}

void check(const TrainConfig& config, const TextModelConfig& model, const torch::Device& device) {
  HASA_CHECK(!device.is_cpu() || config.language_model.precision != Precision::bf16, config,
             "language_model.precision is bf16, but on a CPU a language model is trained in fp32\nset it to auto or "
             "fp32, or train on a GPU with device=cuda");
  const bool nothing = model.tuned_layers == 0 && model.query == QueryForm::joint;
  HASA_CHECK(!nothing, config,
             "model.tuned_layers is 0, and with model.query=joint nothing stands on the language model that could be "
             "trained\nset model.tuned_layers=1 at least, or model.query=gru");
  check_negatives(config);
  const TextConfig& text = config.text;
  HASA_CHECK(text.draws == 1 || text.context > 0, config,
             "text.draws is {}, but without text.context there is nothing to draw\nleave it out, or set text.context=8",
             text.draws);
  if (text.context > 0 && text.own_tokens + 2 >= text.max_tokens) {
    log_warning(
        "an entity's own words (text.own_tokens={}) may fill its text (text.max_tokens={}), which leaves no room "
        "for text.context; text.max_tokens={} would do",
        text.own_tokens, text.max_tokens, text.own_tokens + 2 + 3 * text.context);
  }
}

void check_table_loss(const TableTrainingConfig& tables) {
  const bool sampled = tables.training == TableTraining::negative_sampling;
  HASA_CHECK(sampled || tables.loss == RowLossKind::cross_entropy || tables.loss == RowLossKind::bce, config,
             "tables.loss is of negatives that were drawn, but tables.training takes all entities\nset "
             "tables.loss=cross_entropy or bce, or tables.training=negative_sampling");
  const char* unused = sampled ? tables.needs_all_entities() : nullptr;
  HASA_CHECK(unused == nullptr, config,
             "tables.{} does nothing with tables.training=negative_sampling\nleave it out, or set "
             "tables.training=one_vs_all or k_vs_all",
             unused);
  const bool other_number = tables.negatives != TableTrainingConfig().negatives;
  HASA_CHECK(sampled || (tables.shared == 0 && !tables.filtered && !other_number), config,
             "tables.{} does nothing where all entities are candidates\nleave it out, or set "
             "tables.training=negative_sampling",
             other_number        ? "negatives"
             : tables.shared > 0 ? "shared"
                                 : "filtered");
  HASA_CHECK(tables.shared == 0 || !tables.filtered, config,
             "tables.filtered goes with negatives of one triple: what is no answer to one may be one to another\nleave "
             "it out, or set tables.shared=0");
  HASA_CHECK(!tables.self_negative || (sampled && tables.shared == 0), config,
             "tables.self_negative goes with negatives of each triple's own\nleave it out, or set "
             "tables.training=negative_sampling and tables.shared=0");
  HASA_CHECK(sampled || tables.weights == ExampleWeighting::evenly, config,
             "tables.weights goes with negatives that were drawn\nleave it out, or set "
             "tables.training=negative_sampling");
  HASA_CHECK(tables.temperature == 1 || tables.loss == RowLossKind::self_adversarial, config,
             "tables.temperature is of the weights of tables.loss=self_adversarial\nleave it out, or set that loss");
  HASA_CHECK(tables.offset == 0 || tables.loss != RowLossKind::cross_entropy, config,
             "tables.offset does nothing with tables.loss=cross_entropy\nleave it out, or set another loss");
  HASA_CHECK(tables.loss != RowLossKind::margin || tables.offset > 0, config,
             "tables.loss=margin needs a margin\nset tables.offset=1, for example");
  const bool predicts = tables.relation_prediction > 0 || tables.entity_regulariser > 0;
  HASA_CHECK(!predicts || tables.training != TableTraining::k_vs_all, config,
             "tables.training=k_vs_all takes queries and not triples: it has no {}\nset tables.training=one_vs_all",
             tables.relation_prediction > 0 ? "relation_prediction" : "entity_regulariser");
}

/// What only models that read texts have.
void check_no_text(const TrainConfig& config, const char* model, const char* instead) {
  HASA_CHECK(is_default(config.loss) && is_default(config.negatives), config,
             "{} does nothing with {}, which reads no text\nits own options are under {}",
             is_default(config.loss) ? "negatives" : "loss", model, instead);
  HASA_CHECK(is_default(config.text) && is_default(config.language_model), config,
             "{} does nothing with {}, which reads no text\nleave it out",
             is_default(config.text) ? "language_model" : "text", model);
  HASA_CHECK(config.train.chunk_tokens == 0, config, "train.chunk_tokens does nothing with {}, which reads no text",
             model);
}

void check(const TrainConfig& config, const KbganConfig& model, const torch::Device&) {
  check_no_text(config, "KBGAN", "model");
  HASA_CHECK(is_default(config.tables), config, "tables does nothing with KBGAN\nits own options are under model");
  HASA_CHECK(model.generator != KbganGenerator::complex || model.generator_dim % 2 == 0, config,
             "model.generator_dim is {}, but ComplEx takes an even number: real and imaginary parts",
             model.generator_dim);
  if (model.pretrain_epochs >= config.train.epochs) {
    log_warning("all {} epochs are before the game (model.pretrain_epochs={}): it is never played", config.train.epochs,
                model.pretrain_epochs);
  }
}

void check(const TrainConfig& config, const TableModelConfig& model, const torch::Device&) {
  const TableTrainingConfig& tables = config.tables;
  check_no_text(config, to_string(model.form), "tables");
  check_table_loss(tables);
  HASA_CHECK(model.precision == TablePrecision::fp32 || tables.training == TableTraining::negative_sampling, config,
             "model.precision=bf16 goes with tables.training=negative_sampling alone, which changes single rows of the "
             "table\nset model.precision=fp32, or tables.training=negative_sampling");
  HASA_CHECK(config.optimiser.clip == 0 || tables.training != TableTraining::negative_sampling, config,
             "optimiser.clip does nothing with tables.training=negative_sampling, where no gradient of the whole is "
             "ever held\nleave it out");
  const bool products = model.form == TableForm::distmult || model.form == TableForm::complex;
  HASA_CHECK(products || (!tables.tf32 && tables.candidate_dropout == 0), config,
             "tables.{} does nothing of use with {}, whose scores are distances and no products\nleave it out",
             tables.tf32 ? "tf32" : "candidate_dropout", to_string(model.form));
  const char* of_vectors = tables.relation_prediction > 0    ? "relation_prediction"
                           : tables.relation_dropout > 0     ? "relation_dropout"
                           : tables.relation_regulariser > 0 ? "relation_regulariser"
                                                             : nullptr;
  HASA_CHECK(model.form != TableForm::rotate || of_vectors == nullptr, config,
             "tables.{} does not go with model.type=rotate, whose relations are angles\nleave it out", of_vectors);
}

}  // namespace

void check_options(const TrainConfig& config, const torch::Device& device) {
  HASA_CHECK(
      !config.reads_text() || is_default(config.tables), config,
      "tables is for models with a vector for each entity\nleave it out, or set model.type=complex, for example");
  HASA_CHECK(!config.reads_text() || config.optimiser.kind == OptimiserKind::adamw, config,
             "optimiser.kind is for models with a vector for each entity; others are trained by adamw\nleave it out");
  check_loss(config.loss, config.negatives);
  std::visit([&](const auto& model) { check(config, model, device); }, config.model);
}

}  // namespace hasa
