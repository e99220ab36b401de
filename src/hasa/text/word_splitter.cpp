#include "hasa/text/word_splitter.h"

#include <algorithm>

#include "hasa/base/utf8.h"
#include "hasa/text/unicode.h"

namespace hasa {

namespace {

// What WordRules::byte says of a byte that is no letter or digit. All letters and digits are larger.
constexpr std::uint8_t kRemove = 0, kSpace = 1, kPunctuation = 2, kBeyondAscii = 3, kLastCode = kBeyondAscii;

// Marks punctuation in the queue, so that its properties are looked up once.
constexpr char32_t kPunctuationBit = 1u << 31;

// A stretch is normalised in parts of about this many characters, to stay in the cache.
constexpr std::size_t kQueueLength = 256;

std::size_t write_utf8(char* out, char32_t c) {
  const auto tail = [](char32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xC0 | (c >> 6));
    out[1] = tail(c);
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xE0 | (c >> 12));
    out[1] = tail(c >> 6);
    out[2] = tail(c);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | (c >> 18));
  out[1] = tail(c >> 12);
  out[2] = tail(c >> 6);
  out[3] = tail(c);
  return 4;
}

}  // namespace

WordRules::WordRules(const TokenizerSettings& settings)
    : lower_case(settings.lower_case), strip_accents(settings.strip_accents), split_cjk(settings.split_cjk) {
  byte.fill(kBeyondAscii);
  for (char32_t c = 0; c < 0x80; ++c) {
    const std::uint16_t properties = unicode::properties(c);
    if (properties & unicode::kRemoved) {
      byte[c] = kRemove;
    } else if (properties & unicode::kSpace) {
      byte[c] = kSpace;
    } else if (properties & unicode::kPunctuation) {
      byte[c] = kPunctuation;
    } else {
      byte[c] = static_cast<std::uint8_t>(lower_case ? unicode::lower(c) : c);
    }
  }
}

bool WordSplitter::next() {
  size_ = characters_ = 0;
  for (;;) {
    if (queue_at_ < queue_.size()) {
      if (take_queue()) return true;
    } else if (position_ < text_.size()) {
      if (take_ascii()) return true;
    } else {
      return characters_ > 0;
    }
  }
}

/// Goes on with the word through ASCII; true when it is complete, false at the end of the text and where
/// something else begins, which then waits in the queue.
bool WordSplitter::take_ascii() {
  // Locals, because a store to word_ could change any member as far as the compiler knows.
  const char* const text = text_.data();
  const std::size_t end = text_.size();
  std::size_t at = position_, size = size_, characters = characters_;
  bool complete = false;
  while (at < end) {
    const std::uint8_t code = rules_.byte[static_cast<unsigned char>(text[at])];
    if (code > kLastCode) [[likely]] {
      if (characters < kMaxCharacters) word_[size++] = static_cast<char>(code);
      ++characters;
      ++at;
    } else if (code == kSpace) {
      ++at;
      complete = characters > 0;
      if (complete) break;
    } else if (code == kPunctuation) {
      complete = true;
      if (characters > 0) break;
      word_[0] = text[at++];
      size = characters = 1;
      break;
    } else if (code == kBeyondAscii) {
      break;
    } else {
      ++at;
    }
  }
  position_ = at;
  size_ = size;
  characters_ = characters;
  if (!complete && at < end) fill_queue();
  return complete;
}

/// The same through the queue.
bool WordSplitter::take_queue() {
  while (queue_at_ < queue_.size()) {
    const char32_t c = queue_[queue_at_];
    if (c == ' ' || (c & kPunctuationBit)) {
      if (characters_ > 0) {
        queue_at_ += c == ' ';
        return true;
      }
      ++queue_at_;
      if (c == ' ') continue;
      size_ = write_utf8(word_, c & ~kPunctuationBit);
      characters_ = 1;
      return true;
    }
    ++queue_at_;
    if (characters_ < kMaxCharacters) size_ += write_utf8(word_ + size_, c);
    ++characters_;
  }
  return false;
}

/// Normalises from position_ on, up to the next ASCII character that is kept: only between such characters, or
/// others that do not combine, is the canonical order of what came before settled.
void WordSplitter::fill_queue() {
  queue_.clear();
  queue_at_ = 0;
  while (position_ < text_.size()) {
    const std::uint8_t code = rules_.byte[static_cast<unsigned char>(text_[position_])];
    if (code == kRemove) {
      ++position_;
      continue;
    }
    if (code != kBeyondAscii) break;
    const char32_t c = next_code_point(text_, position_);
    add_clean(c, unicode::properties(c));
    if (queue_.size() >= kQueueLength && marks_.empty()) return;
  }
  flush_marks();
}

void WordSplitter::add_clean(char32_t c, std::uint16_t properties) {
  if (properties & unicode::kRemoved) return;
  const bool alone = rules_.split_cjk && (properties & unicode::kCjk);
  if (alone || (properties & unicode::kSpace)) {
    flush_marks();
    queue_.push_back(' ');
    if (!alone) return;
  }
  if (!rules_.strip_accents) {
    add_lowered(c, properties);
  } else if (properties & unicode::kDecomposes) {
    char32_t storage[3];
    for (const char32_t part : unicode::decompose(c, storage)) add_decomposed(part, unicode::properties(part));
  } else {
    add_decomposed(c, properties);
  }
  if (alone) queue_.push_back(' ');
}

/// Marks are dropped before the rest is put in canonical order: what remains comes out in the same order.
void WordSplitter::add_decomposed(char32_t c, std::uint16_t properties) {
  if (properties & unicode::kMark) return;
  if (properties & unicode::kCombiningClass) {
    marks_.push_back(c);
    return;
  }
  flush_marks();
  add_lowered(c, properties);
}

void WordSplitter::flush_marks() {
  if (marks_.empty()) return;
  const auto combining_class = [](char32_t c) { return unicode::properties(c) & unicode::kCombiningClass; };
  std::stable_sort(marks_.begin(), marks_.end(),
                   [&](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
  for (const char32_t c : marks_) add_lowered(c, unicode::properties(c));
  marks_.clear();
}

void WordSplitter::add_lowered(char32_t c, std::uint16_t properties) {
  if (rules_.lower_case && (properties & unicode::kHasLower)) {
    if (c == unicode::kDottedCapitalI) {
      queue_ += U"i\u0307";
      return;
    }
    c = unicode::lower(c);
    properties = unicode::properties(c);
  }
  queue_.push_back(properties & unicode::kPunctuation ? c | kPunctuationBit : c);
}

}  // namespace hasa
