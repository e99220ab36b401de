#pragma once

#include <string>

#include "hasa/families/cross/cross_config.h"
#include "hasa/input/text_config.h"
#include "hasa/model/facts.h"
#include "hasa/model/language_model_config.h"

// Code shared by families whose language model reads a triple as one text.

namespace hasa {

/// Throws config if there would be no corrupted triples.
void check_corruption(const CorruptionConfig& negatives);

/// `language_model` and `score` are descriptions.
ModelFacts facts_of_triples(std::string name, std::string language_model, const TextConfig& text, Precision precision,
                            const std::string& score);

}  // namespace hasa
