#pragma once

#include <filesystem>

#include "hasa/families/text/text_family.h"
#include "hasa/run/run.h"

namespace hasa {

/// Writes the fine-tuned language model of a run as a folder for transformers and sentence-transformers:
/// config.json, model.safetensors and the vocabulary, then modules.json with one folder for each step from tokens to an
/// entity's vector:
///
///   pooling; with query=gru the projection and its norm; with the cosine a division by the length
///
/// An entity's text there is the template text.entity, with its links if
/// text.context is used. The query of query=gru is not included: sentence-transformers has
/// no counterpart. The folder must be new or empty; it appears atomically.
void write_sentence_transformer(const TextFamily& config, const Run& run, const std::filesystem::path& folder);

}  // namespace hasa
