#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace hasa {

/// The contents of the JSON files of a Hugging Face folder that have a say; empty where a file is not there.
struct TokenizerFiles {
  std::string config;              ///< config.json
  std::string tokenizer;           ///< tokenizer.json
  std::string special_tokens_map;  ///< special_tokens_map.json
  std::string tokenizer_config;    ///< tokenizer_config.json
};

/// What a Hugging Face folder says about its WordPiece tokenizer besides the vocabulary. The defaults are
/// those of an uncased BERT.
struct TokenizerSettings {
  bool lower_case = true;
  bool strip_accents = true;  ///< decompose canonically and drop the marks; follows lower_case unless set
  bool split_cjk = true;      ///< each Chinese character is a word

  std::string cls = "[CLS]";
  std::string sep = "[SEP]";
  std::string unk = "[UNK]";
  std::string pad = "[PAD]";
  std::string mask = "[MASK]";
  std::size_t pair_separators = 1;  ///< between the texts of a pair
  bool token_types = true;          ///< a pair's second text has type 1; else there are no types

  static TokenizerSettings bert() { return {}; }
  /// <s>, </s>, <pad>, <mask>, two separators and no token types in a pair; the unknown word is still [UNK].
  static TokenizerSettings mpnet();

  /// config.json (model_type) and tokenizer_config.json (tokenizer_class) choose the family; tokenizer.json,
  /// special_tokens_map.json and tokenizer_config.json, the later the stronger, set the rest. Files that are
  /// not there leave the defaults. Throws data for JSON that cannot be read, a value of the wrong type, or a
  /// tokenizer that is not WordPiece.
  static TokenizerSettings load(const std::filesystem::path& folder);
  /// The same for files already read.
  static TokenizerSettings parse(const TokenizerFiles& files, const std::filesystem::path& folder);
};

}  // namespace hasa
