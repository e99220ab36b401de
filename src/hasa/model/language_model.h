#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hasa/nn/encoder_config.h"
#include "hasa/text/word_piece.h"

namespace hasa {

/// Resolves a path or a name to a folder. Names are looked up
/// in $HASA_MODELS, in the folders added below, in share/hasa/models of an installed program,
/// and in the source tree's set-up folder. Throws data with the places searched.
std::filesystem::path find_language_model(const std::string& path_or_name);

/// The name by which find_language_model finds the folder; for any other, the last two components of its path, since a
/// model's folder is often just called "model".
std::string language_model_name(const std::filesystem::path& folder);

/// Adds a folder to look names up in, if it exists. Not thread-safe.
void add_model_folder(const std::filesystem::path& folder);

/// Only its tokenizer. A folder without vocab.txt whose config.json
/// names an unsupported architecture is rejected with that name.
WordPiece load_tokenizer(const std::filesystem::path& folder);

/// A language model whose weights have not been
/// read yet; everything else about it has been checked.
struct LanguageModel {
  std::filesystem::path folder;
  EncoderConfig config;
  WordPiece tokenizer;

  /// Rejects an unsupported architecture by name before checking anything else.
  static LanguageModel open(const std::string& path_or_name);

  /// Hash of everything that affects its output: weights, config and tokenizer.
  std::uint64_t fingerprint() const;
};

}  // namespace hasa
