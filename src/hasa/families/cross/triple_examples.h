#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/families/cross/cross_config.h"
#include "hasa/input/text_inputs.h"
#include "hasa/kg/known_answers.h"
#include "hasa/negative/corruption.h"

namespace hasa {

/// The triples of a step: true ones and their corruptions.
struct TripleExamples {
  std::vector<TextRequest> texts;
  std::vector<float> truth;  // of each: 1 or 0
};

/// Each triple followed by its corruptions, none of which is a known triple of `known`.
TripleExamples triple_examples(std::span<const Triple> triples, const Corruption& corruption,
                               const CorruptionConfig& config, Rng& rng);

}  // namespace hasa
