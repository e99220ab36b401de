#include "hasa/families/text_facts.h"

#include <fmt/format.h>

#include "hasa/model/language_model.h"

namespace hasa {

std::string pooled_name(const LanguageModelConfig& config) {
  return fmt::format("{}, {} pooling", language_model_name(config.path), to_string(config.pool));
}

std::string text_template(const TextConfig& config) {
  return fmt::format("\"{}\", at most {} tokens", config.entity, config.max_tokens);
}

}  // namespace hasa
