#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hasa/text/tokenizer_settings.h"

namespace hasa {

/// How text is cut into words: three switches, and what they mean for each ASCII byte.
struct WordRules {
  explicit WordRules(const TokenizerSettings& settings);

  bool lower_case, strip_accents, split_cjk;
  std::array<std::uint8_t, 256> byte;  // a letter as it comes out, or one of the codes in word_splitter.cpp
};

/// BERT's basic tokenisation, a word at a time: clean-up, spaces around Chinese characters, canonical
/// decomposition without marks, lower case, then a split at spaces and around punctuation. ASCII goes through a
/// table; the rest through unicode.h. Bytes that are not UTF-8 read as U+FFFD.
///
///   for (WordSplitter words(rules, "Crème brûlée!"); words.next();) use(words.word());   // creme, brulee, !
class WordSplitter {
 public:
  /// Longer words are no words to BERT, so their rest is not kept.
  static constexpr std::size_t kMaxCharacters = 100;

  /// Rules and text must outlive the splitter.
  WordSplitter(const WordRules& rules, std::string_view text) : rules_(rules), text_(text) {}

  /// Moves to the next word; false when there is none.
  bool next();

  /// UTF-8, valid until the next call.
  std::string_view word() const { return {word_, size_}; }
  bool too_long() const { return characters_ > kMaxCharacters; }

 private:
  bool take_ascii();
  bool take_queue();
  void fill_queue();
  void add_clean(char32_t code_point, std::uint16_t properties);
  void add_decomposed(char32_t code_point, std::uint16_t properties);
  void add_lowered(char32_t code_point, std::uint16_t properties);
  void flush_marks();

  const WordRules& rules_;
  std::string_view text_;
  std::size_t position_ = 0;

  char word_[4 * kMaxCharacters];
  std::size_t size_ = 0;
  std::size_t characters_ = 0;

  std::u32string queue_;  // normalised characters of the last stretch beyond ASCII, given out from queue_at_ on
  std::size_t queue_at_ = 0;
  std::u32string marks_;  // combining characters waiting to be put in canonical order
};

}  // namespace hasa
