#include "hasa/families/cross/kgbert_family.h"

#include "hasa/families/cross/cross_family.h"
#include "hasa/families/cross/pooled_head.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/text_facts.h"
#include "hasa/families/tuned_text.h"

namespace hasa {
namespace {

TripleModelOver pooled_over(const KgBertFamily& config) {
  return [&config](const std::filesystem::path& folder, const torch::Device& device) -> TripleModel {
    TunedEncoder encoder = open_tuned_encoder(config.model, config.language_model, folder, device);
    auto head = std::make_shared<PooledHead>(encoder.weights().config().hidden, config.language_model.pool,
                                             config.model.dropout);
    return {std::move(encoder), std::move(head)};
  };
}

}  // namespace

void check(const KgBertFamily& config, const torch::Device& device) {
  check_precision(config.language_model, device);
  check_corruption(config.negatives);
}

std::unique_ptr<Learner> make_learner(const KgBertFamily& config, const TrainContext& context) {
  check_shared_dropout(config.model, config.language_model, context.comm);
  return make_triple_learner({config.negatives, config.optimiser, config.train}, config.language_model.path,
                             config.text, pooled_over(config), context);
}

void complete_run(const KgBertFamily& config, const TrainContext&, const Run& run) {
  copy_vocabulary(config.language_model.path, run);
}

std::unique_ptr<Scorer> open_scorer(const KgBertFamily& config, const OpenContext& context) {
  return open_triple_scorer(config.text, pooled_over(config), context);
}

ModelFacts facts(const KgBertFamily& config) {
  return facts_of_triples("a layer over the language model's reading of head, relation and tail as one text (KG-BERT)",
                          pooled_name(config.language_model) + ", " + tuned_words(config.model), config.text,
                          config.language_model.precision, "the logit that the triple is true");
}

std::int64_t opening_bytes(const KgBertFamily&, const Run& run, const Graph& graph) {
  return bytes_of_vectors(run, graph, /*dim=*/0) + kReadingBytes;
}

}  // namespace hasa
