#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hasa/text/piece_trie.h"
#include "hasa/text/sequence_form.h"
#include "hasa/text/tokenizer_settings.h"
#include "hasa/text/word_splitter.h"

namespace hasa {

/// What a special token written out in a text, such as "[SEP]", becomes: plain text, as inside an entity's
/// description, or the special id, as Hugging Face has it.
enum class SpecialTokens { plain, recognised };

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// A pair of texts as one sequence, in the tokenizer's form.
struct EncodedPair {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> segments;  // their token types
};

/// BERT's tokenizer: text becomes words (word_splitter.h), each word the longest pieces of the vocabulary
/// that spell it, or [UNK] if none do or it is longer than 100 characters.
///
/// Ids are those of Hugging Face's `tokenizers` 0.23.3 for every string. Its Unicode tables come from several
/// versions; ours are taken from what it does (unicode.h: unicode::versions()). Invalid UTF-8 reads as U+FFFD,
/// which BERT's clean-up removes. lstrip and rstrip of special tokens make no difference here, because blanks
/// never reach a word. Immutable and safe to use from several threads.
class WordPiece {
 public:
  /// From a Hugging Face folder: vocab.txt, and tokenizer_config.json, special_tokens_map.json, tokenizer.json
  /// and config.json where present. Throws data, naming file and line, when a file is missing or malformed.
  static WordPiece load(const std::filesystem::path& folder);

  /// `origin` is what error messages call the vocabulary.
  WordPiece(const std::vector<std::string>& vocabulary, const TokenizerSettings& settings,
            std::string_view origin = "vocabulary");

  /// Appends the pieces of a text, at most max_pieces of them, without [CLS] and [SEP]. Returns how many.
  std::size_t encode(std::string_view text, std::vector<std::int32_t>& ids, std::size_t max_pieces = kNoLimit,
                     SpecialTokens mode = SpecialTokens::plain) const;

  /// [CLS] text [SEP], cut at the end of the text to max_length ids in all (at least 2).
  std::vector<std::int32_t> encode_with_specials(std::string_view text, std::size_t max_length = kNoLimit,
                                                 SpecialTokens mode = SpecialTokens::recognised) const;

  /// Both texts, the longer cut first, to max_length ids in all (at least pair_overhead()).
  EncodedPair encode_pair(std::string_view first, std::string_view second, std::size_t max_length = kNoLimit,
                          SpecialTokens mode = SpecialTokens::recognised) const;

  std::int32_t cls_id() const { return cls_id_; }
  std::int32_t sep_id() const { return sep_id_; }
  std::int32_t unk_id() const { return unk_id_; }
  /// -1 when the vocabulary has no padding token; sequences here are packed and need none.
  std::int32_t pad_id() const { return pad_id_; }
  /// How texts become an input of the language model.
  SequenceForm form() const { return {cls_id_, sep_id_, settings_.pair_separators, settings_.token_types}; }
  /// The special ids of a pair: 3, or 4 for MPNet.
  std::size_t pair_overhead() const { return form().special_tokens(2); }

  std::size_t vocab_size() const { return vocab_size_; }
  /// Of the vocabulary and of every setting that changes ids: stored beside ids, it tells whether they are stale.
  std::uint64_t fingerprint() const { return fingerprint_; }
  const TokenizerSettings& settings() const { return settings_; }

 private:
  struct Special {
    std::string text;
    std::int32_t id;
  };

  const Special* next_special(std::string_view text, std::size_t& position) const;
  void encode_plain(std::string_view text, std::vector<std::int32_t>& ids, std::size_t end) const;
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  TokenizerSettings settings_;
  WordRules rules_;
  PieceTrie pieces_;
  std::vector<Special> specials_;
  std::array<bool, 256> begins_special_{};  // by byte
  std::size_t vocab_size_;
  std::uint64_t fingerprint_;
  std::int32_t cls_id_, sep_id_, unk_id_, pad_id_;
};

/// How many of a pair's pieces are kept when only `room` fit: the longer text loses first, as in Hugging
/// Face's longest_first (when both are cut, the second text gets the odd one, or the first if it was longer).
std::pair<std::size_t, std::size_t> longest_first(std::size_t first, std::size_t second, std::size_t room);

}  // namespace hasa
