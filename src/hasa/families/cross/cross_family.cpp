#include "hasa/families/cross/cross_family.h"

#include <ATen/Context.h>

#include <utility>

#include "hasa/base/error.h"
#include "hasa/families/text_facts.h"

namespace hasa {

std::unique_ptr<Learner> make_triple_learner(const TripleLearner::Options& options, const std::string& language_model,
                                             const TextConfig& text, const TripleModelOver& model_over,
                                             const TrainContext& context) {
  const LanguageModel opened = LanguageModel::open(language_model);
  TextInputs inputs = triple_inputs(context.graph, context.graph_folder, text, opened);
  at::manual_seed(context.seed);
  return std::make_unique<TripleLearner>(options, model_over(opened.folder, context.device), std::move(inputs),
                                         context);
}

std::unique_ptr<Scorer> open_triple_scorer(const TextConfig& text, const TripleModelOver& model_over,
                                           const OpenContext& context) {
  const LanguageModel language_model = LanguageModel::open((context.run / Run::kBestFolder).string());
  const TripleModel model = model_over(language_model.folder, context.device);
  model.load_head(language_model.folder);
  return std::make_unique<TripleScorer>(model, triple_inputs(context.graph, context.graph_folder, text, language_model),
                                        context.graph.relations());
}

void check_corruption(const CorruptionConfig& negatives) {
  HASA_CHECK(negatives.entities + negatives.relations > 0, config,
             "negatives.entities and negatives.relations are both 0, so there would be no corrupted triples\nset "
             "negatives.entities=5, for example");
}

ModelFacts facts_of_triples(std::string name, std::string language_model, const TextConfig& text, Precision precision,
                            const std::string& score) {
  return {.name = std::move(name),
          .language_model = std::move(language_model),
          .text_template = text_template(text) + ", for head and tail each; the relation's text between them",
          .context = "none",
          .training_graph = "nothing: texts alone",
          .score = score + ", each candidate read together with the query (no entity vectors)",
          .products = precision == Precision::fp32
                          ? "all in float32"
                          : "the language model's passes in bfloat16 on a GPU, in float32 on a CPU"};
}

}  // namespace hasa
