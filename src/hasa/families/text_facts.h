#pragma once

#include <string>

#include "hasa/input/text_config.h"
#include "hasa/model/language_model_config.h"

// Facts shared by families that read texts.

namespace hasa {

/// "all-MiniLM-L6-v2, mean pooling"
std::string pooled_name(const LanguageModelConfig& config);
/// "\"{name}: {description}\", at most 40 tokens"
std::string text_template(const TextConfig& config);

constexpr const char* kNoText = "none: no text is read";

}  // namespace hasa
