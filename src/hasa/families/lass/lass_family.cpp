#include "hasa/families/lass/lass_family.h"

#include "hasa/base/error.h"
#include "hasa/families/cross/cross_family.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/text_facts.h"
#include "hasa/families/tuned_text.h"

namespace hasa {
namespace {

TripleModelOver spans_over(const LassFamily& config) {
  return [&config](const std::filesystem::path& folder, const torch::Device& device) -> TripleModel {
    return {open_tuned_encoder(config.model, config.language_model, folder, device),
            std::make_shared<SpanHead>(config.model)};
  };
}

}  // namespace

void check(const LassFamily& config, const torch::Device& device) {
  check_precision(config.language_model, device);
  check_corruption(config.negatives);
  HASA_CHECK(config.model.tuned_layers != 0, config,
             "model.tuned_layers is 0, which leaves only the scale to train\nset model.tuned_layers to at least 1");
}

std::unique_ptr<Learner> make_learner(const LassFamily& config, const TrainContext& context) {
  check_shared_dropout(config.model, config.language_model, context.comm);
  return make_triple_learner({config.negatives, config.optimiser, config.train}, config.language_model.path,
                             config.text, spans_over(config), context);
}

void complete_run(const LassFamily& config, const TrainContext&, const Run& run) {
  copy_vocabulary(config.language_model.path, run);
}

std::unique_ptr<Scorer> open_scorer(const LassFamily& config, const OpenContext& context) {
  return open_triple_scorer(config.text, spans_over(config), context);
}

ModelFacts facts(const LassFamily& config) {
  return facts_of_triples("a translation between the vectors of head and tail within one text (LASS)",
                          short_name(config.language_model.path) + ", means of spans, " + tuned_words(config.model),
                          config.text, config.language_model.precision,
                          "a bias minus the squared distance of head + relation from tail");
}

std::int64_t opening_bytes(const LassFamily&, const Run& run, const Graph& graph) {
  return bytes_of_vectors(run, graph, /*dim=*/0) + kReadingBytes;
}

}  // namespace hasa
