#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hasa/nn/encoder_config.h"
#include "hasa/text/word_piece.h"

namespace hasa {

/// The folder a path or a name stands for. Names are looked up in the folder HASA_MODELS names, in those added below,
/// in share/hasa/models beside an installed program, and where set-up put the models of a source tree. Throws
/// data with the places looked at.
std::filesystem::path find_language_model(const std::string& path_or_name);

/// From now on names are looked up in `folder` as well, if there is such a folder. Not while other threads look.
void add_model_folder(const std::filesystem::path& folder);

/// Its tokenizer alone. A folder without vocab.txt whose config.json names an architecture we do not have is
/// refused by that name.
WordPiece load_tokenizer(const std::filesystem::path& folder);

/// A language model before its weights are read: everything that can be wrong with it is known by now, except
/// in the weights themselves.
struct LanguageModel {
  std::filesystem::path folder;
  EncoderConfig config;
  WordPiece tokenizer;

  /// Refuses an architecture by its name before anything else is looked at.
  static LanguageModel open(const std::string& path_or_name);

  /// Of everything that changes what it makes of a text: weights, config and tokenizer.
  std::uint64_t fingerprint() const;
};

}  // namespace hasa
