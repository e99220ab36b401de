#include "hasa/families/cross/cross_family.h"

#include <utility>

#include "hasa/base/error.h"
#include "hasa/families/text_facts.h"

namespace hasa {

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
