#include "hasa/families/text/text_family.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/text/text_learner.h"
#include "hasa/families/text_facts.h"
#include "hasa/loss/check_loss.h"
#include "hasa/model/language_model.h"

namespace hasa {
namespace {

void check_negatives(const TextFamily& config) {
  const NegativesConfig& negatives = config.negatives;
  const bool any = config.train.batch != 1 || negatives.heads * static_cast<double>(config.train.batch) >= 1 ||
                   negatives.hard > 0 || negatives.random > 0;
  HASA_CHECK(any, config,
             "a step of one triple without other candidates has no negatives\nset a larger train.batch, or "
             "negatives.random to at least 1");
  HASA_CHECK(negatives.refresh == BankRefresh::whole || negatives.hard > 0, config,
             "negatives.refresh has no effect without mined negatives\nremove it, or set negatives.hard to at least 1");
  HASA_CHECK(!config.loss.tail_to_query || !config.loss.mask_true_queries || negatives.kept_out == KeptOut::known,
             config,
             "loss.mask_true_queries masks what negatives.kept_out excludes, which is only the answer\nset "
             "loss.mask_true_queries=false, or negatives.kept_out=known");
}

void check_context(const TextConfig& text) {
  HASA_CHECK(text.hidden_edges == EdgeRule::exact || tells_edges(text), config,
             "text.hidden_edges has no effect without text.context or text.soft_neighbours\nremove it, or set "
             "text.context=8");
  HASA_CHECK(
      text.draws == 1 || tells_edges(text), config,
      "text.draws is {}, but without text.context or text.soft_neighbours there is nothing to sample\nremove it, "
      "or set text.context=8",
      text.draws);
  if (text.hidden_edges == EdgeRule::none)
    log_warning("text.hidden_edges=none: {}", edge_rule_words(text.hidden_edges));
  if (text.context > 0 && text.own_tokens + 2 >= text.max_tokens) {
    log_warning(
        "an entity's own text (text.own_tokens={}) may fill the whole text (text.max_tokens={}), which leaves no room "
        "for text.context; text.max_tokens={} would be enough",
        text.own_tokens, text.max_tokens, text.own_tokens + 2 + 3 * text.context);
  }
}

/// What a step keeps memory for: the gradients of soft tokens pass through all layers.
TuningConfig tuning_to_plan_for(const TextFamily& config) {
  TuningConfig tuning = config.model;
  if (config.text.soft_neighbours > 0) tuning.tuned_layers = -1;
  return tuning;
}

/// What the certificate says of an entity's edges in its text.
std::string context_words(const TextConfig& text) {
  if (!tells_edges(text)) return "none";
  std::string words;
  if (text.context > 0) words = fmt::format("up to {} edges of an entity in its text, ", text.context);
  if (text.soft_neighbours > 0) {
    words += fmt::format("up to {} edges as soft tokens made of the vectors of neighbours' own words, ",
                         text.soft_neighbours);
  }
  words += fmt::format("a fixed sample; {}", edge_rule_words(text.hidden_edges));
  return words + (text.draws > 1 ? fmt::format("; the mean of {} samples", text.draws) : "");
}

}  // namespace

void check(const TextFamily& config, const torch::Device& device) {
  check_loss(config.loss);
  check_precision(config.language_model, device);
  const bool nothing =
      config.model.tuned_layers == 0 && config.model.query == QueryForm::joint && config.text.soft_neighbours == 0;
  HASA_CHECK(!nothing, config,
             "model.tuned_layers is 0, which with model.query=joint leaves nothing to train\nset model.tuned_layers to "
             "at least 1, or model.query=gru");
  check_negatives(config);
  check_context(config.text);
}

std::unique_ptr<Learner> make_learner(const TextFamily& config, const TrainContext& context) {
  check_shared_dropout(config.model, config.language_model, context.comm);
  HASA_CHECK(context.comm.alone() || config.text.soft_neighbours == 0, config,
             "text.soft_neighbours is for a single process\nset text.soft_neighbours=0, or start one process");
  const LanguageModel language_model = LanguageModel::open(config.language_model.path);
  TextInputs inputs = text_inputs(context.graph, context.graph_folder, config.text, language_model);
  TextFamily fitted = config;
  fitted.train.chunk_tokens =
      chunk_tokens_within({.limit = config.memory_limit,
                           .tuning = tuning_to_plan_for(config),
                           .precision = config.language_model.precision},
                          config.train.chunk_tokens, inputs, language_model.config, context.device);
  at::manual_seed(context.seed);
  TextModel model = open_text_model(config.model, config.language_model, language_model.folder, context.device);
  return std::make_unique<TextLearner>(fitted, std::move(model), std::move(inputs), context);
}

void complete_run(const TextFamily& config, const TrainContext&, const Run& run) {
  copy_vocabulary(config.language_model.path, run);
}

std::unique_ptr<Scorer> open_scorer(const TextFamily& config, const OpenContext& context) {
  const LanguageModel language_model = LanguageModel::open((context.run / Run::kBestFolder).string());
  TextModel model = open_text_model(config.model, config.language_model, language_model.folder, context.device);
  if (config.text.soft_neighbours > 0)
    model.add_soft_tokens(context.graph.entities(), context.graph.num_directed_relations());
  const auto terms = pair_terms(config.terms, context.graph);
  if (terms) model.add_pair_weights(terms->num_weights());
  model.load_new_layers(language_model.folder);
  return with_pair_terms(
      make_scorer(model, text_inputs(context.graph, context.graph_folder, config.text, language_model),
                  /*show_progress=*/true, context.comm),
      model, terms);
}

ModelFacts facts(const TextFamily& config) {
  ModelFacts facts{
      .name =
          config.model.query == QueryForm::joint
              ? "head and relation read as one pair by the language model"
              : fmt::format("a projection to {} dimensions and a GRU query over the language model", config.model.dim),
      .language_model = pooled_name(config.language_model) + ", " + tuned_words(config.model),
      .text_template = text_template(config.text),
      .context = context_words(config.text),
      .training_graph = tells_edges(config.text) ? "training edges of an entity in its text, no valid or test edges"
                                                 : "nothing: texts alone",
      .score = config.model.score == ScoreForm::cosine
                   ? "cosine of query and entity; the learned scale does not affect ranks"
                   : "dot product of query and entity"};
  if (config.terms.links) {
    facts.training_graph +=
        "; which training edges lead from the query's entity to a candidate, with learned weights (on a graph made "
        "without linked test pairs: an artefact)";
  }
  if (config.terms.frequency)
    facts.training_graph += "; how often a candidate answered the relation in training, with learned weights";
  if (config.terms.any()) facts.score += ", times the factor, plus what its training edges and frequency add";
  return facts;
}

std::int64_t opening_bytes(const TextFamily& config, const Run& run, const Graph& graph) {
  return bytes_of_vectors(run, graph, config.model.dim) + kReadingBytes;
}

}  // namespace hasa
