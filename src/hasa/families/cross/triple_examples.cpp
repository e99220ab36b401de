#include "hasa/families/cross/triple_examples.h"

namespace hasa {

TripleExamples triple_examples(std::span<const Triple> triples, const Corruption& corruption,
                               const CorruptionConfig& config, Rng& rng) {
  TripleExamples examples;
  const auto add = [&](const std::optional<Triple>& triple, float truth) {
    if (!triple) return;
    examples.texts.push_back(TextRequest::of_triple(*triple));
    examples.truth.push_back(truth);
  };
  for (const Triple& triple : triples) {
    add(triple, 1);
    for (std::int64_t i = 0; i < config.entities; ++i) add(corruption.of_an_end(triple, rng), 0);
    for (std::int64_t i = 0; i < config.relations; ++i) add(corruption.of_the_relation(triple, rng), 0);
  }
  return examples;
}

}  // namespace hasa
