#pragma once

#include <filesystem>
#include <string>

#include "hasa/input/text_config.h"
#include "hasa/model/language_model_config.h"

// What families that read texts say of it alike.

namespace hasa {

/// The last two parts of a path: a model's folder is often just called "model".
std::string short_name(const std::filesystem::path& path);
/// "all-MiniLM-L6-v2, mean pooling"
std::string pooled_name(const LanguageModelConfig& config);
/// "\"{name}: {description}\", at most 40 tokens"
std::string text_template(const TextConfig& config);

constexpr const char* kNoText = "none: no text is read";

}  // namespace hasa
