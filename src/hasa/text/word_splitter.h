#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/text/tokenizer_settings.h"

namespace hasa {

/// BERT's basic tokenisation, a word at a time: clean-up, spaces around Chinese characters, canonical
/// decomposition without marks, lower case, then a split at spaces and around punctuation. ASCII takes a
/// table of 128 entries; the rest goes through unicode.h.
///
///   WordSplitter splitter(settings);
///   splitter.start("Crème brûlée!");
///   while (splitter.next()) use(splitter.word());   // creme, brulee, !
class WordSplitter {
 public:
  explicit WordSplitter(const TokenizerSettings& settings);

  /// The text must live until the last next(). Bytes that are not UTF-8 read as U+FFFD.
  void start(std::string_view text);

  /// Moves to the next word; false at the end.
  bool next();

  /// UTF-8; valid until the next call. Only its beginning is kept when it has more than kMaxCharacters.
  std::string_view word() const { return {word_.data(), size_}; }
  bool too_long() const { return characters_ > kMaxCharacters; }

  static constexpr std::size_t kMaxCharacters = 100;

 private:
  bool next_ascii();
  void read_other();
  void clean(char32_t code_point);
  void decomposed(char32_t code_point);
  void flush_marks();
  void lowered(char32_t code_point);
  void put(char32_t code_point);

  TokenizerSettings settings_;
  std::array<std::uint8_t, 256> ascii_;  // what a byte becomes, or one of the codes in the source file
  std::string_view text_;
  std::size_t position_ = 0;

  std::array<char, 4 * (kMaxCharacters + 2)> word_;
  std::size_t size_ = 0;
  std::size_t characters_ = 0;

  std::u32string marks_;   // combining characters that wait to be put in canonical order
  std::u32string queue_;   // normalised characters not yet given out, from queue_at_
  std::size_t queue_at_ = 0;
};

}  // namespace hasa
