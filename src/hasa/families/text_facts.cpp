#include "hasa/families/text_facts.h"

#include <fmt/format.h>

#include <filesystem>

namespace hasa {

std::string short_name(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path().filename();
  return (parent.empty() ? path.filename() : parent / path.filename()).string();
}

std::string pooled_name(const LanguageModelConfig& config) {
  return fmt::format("{}, {} pooling", short_name(config.path), to_string(config.pool));
}

std::string text_template(const TextConfig& config) {
  return fmt::format("\"{}\", at most {} tokens", config.entity, config.max_tokens);
}

}  // namespace hasa
