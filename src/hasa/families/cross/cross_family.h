#pragma once

#include <string>

#include "hasa/families/cross/cross_config.h"
#include "hasa/input/text_config.h"
#include "hasa/model/facts.h"
#include "hasa/model/language_model_config.h"

// What families do alike whose language model reads a triple as one text.

namespace hasa {

/// Throws config where there is nothing false to tell true triples from.
void check_corruption(const CorruptionConfig& negatives);

/// `language_model` in words; `score`: what the number is, in words.
ModelFacts facts_of_triples(std::string name, std::string language_model, const TextConfig& text, Precision precision,
                            const std::string& score);

}  // namespace hasa
