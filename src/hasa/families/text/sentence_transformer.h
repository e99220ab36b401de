#pragma once

#include <filesystem>

#include "hasa/families/text/text_family.h"
#include "hasa/run/run.h"

namespace hasa {

/// Writes the trained language model of a run as a folder that transformers and sentence-transformers open: config.json,
/// model.safetensors and the vocabulary, then modules.json with one folder for each step from tokens to an entity's
/// vector:
///
///   pooling; with query=gru the projection and its norm; with the cosine a division by the length
///
/// An entity's text there is its words as text.entity puts them, with its links where text.context tells some. The
/// query of query=gru is not in it: sentence-transformers has no such thing. The folder must not be there, or be empty;
/// it appears whole or not at all.
void write_sentence_transformer(const TextFamily& config, const Run& run, const std::filesystem::path& folder);

}  // namespace hasa
