// Feeds the tokenizer with any text, and with any vocabulary. The first two bytes choose:
//
//   bits 0-2  lower case, strip accents, split Chinese
//   bit 3     MPNet's special tokens
//   bit 4     the vocabulary is in the input, before the first byte 0x1E; else a small one
//   bit 5     the JSON files are in the input, as one document before the first 0x1E; bit 4 is then ignored
//   byte 1    how many pieces are kept

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/base/utf8.h"
#include "hasa/text/token_pieces.h"
#include "hasa/text/vocab_file.h"
#include "hasa/text/word_piece.h"

namespace hasa {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr char kFileSeparator = '\x1E';
constexpr std::string_view kSmallVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n<s>\n</s>\n<pad>\n<mask>\na\nb\n##a\n##b\nab\n##ab\naba\n##bab\ne\n##e\né\n"
    "##é\n\u0301\n##\u0301\n东\n##东\n\u1100\n##\u1161\n##\u11A8\n\u302E\n##\u302E\n##\U0001D165\ni\n##i\n##\u0307\n"
    "[\n]\n<\n>\n/\n.\n#\n##\nsep\n";

void expect(bool condition) {
  if (!condition) std::abort();
}

Ids pieces_of(const WordPiece& tokenizer, std::string_view text, std::size_t max_pieces, SpecialTokens mode) {
  Ids ids = {-7};  // what was there stays
  const std::size_t count = tokenizer.encode(text, ids, max_pieces, mode);
  expect(ids[0] == -7 && count == ids.size() - 1 && count <= max_pieces);
  ids.erase(ids.begin());
  for (const std::int32_t id : ids) expect(id >= 0 && static_cast<std::size_t>(id) < tokenizer.vocab_size());
  return ids;
}

std::string with_replacements(std::string_view text) {
  std::string valid;
  for (std::size_t position = 0; position < text.size();) append_utf8(valid, next_code_point(text, position));
  return valid;
}

void check_mode(const WordPiece& tokenizer, std::string_view text, std::size_t limit, SpecialTokens mode) {
  const Ids all = pieces_of(tokenizer, text, kNoLimit, mode);
  expect(all.size() <= 4 * text.size());  // a character decomposes into at most four
  const Ids some = pieces_of(tokenizer, text, limit, mode);
  expect(some == Ids(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(limit, all.size()))));
  expect(pieces_of(tokenizer, with_replacements(text), kNoLimit, mode) == all);

  Ids wrapped = {tokenizer.cls_id()};
  wrapped.insert(wrapped.end(), some.begin(), some.end());
  wrapped.push_back(tokenizer.sep_id());
  expect(tokenizer.encode_with_specials(text, limit + 2, mode) == wrapped);

  const std::string_view first = text.substr(0, text.size() / 3), second = text.substr(text.size() / 3);
  const EncodedPair pair = tokenizer.encode_pair(first, second, limit + tokenizer.pair_overhead(), mode);
  expect(pair.segments.size() == pair.ids.size() && pair.ids.size() <= limit + tokenizer.pair_overhead());
  const std::size_t both =
      pieces_of(tokenizer, first, kNoLimit, mode).size() + pieces_of(tokenizer, second, kNoLimit, mode).size();
  expect(pair.ids.size() == std::min(both, limit) + tokenizer.pair_overhead());
}

void check_packed(const WordPiece& tokenizer, std::string_view text, std::size_t limit) {
  const std::vector<std::string_view> texts = {text, "", text.substr(text.size() / 2)};
  const TokenPieces packed = TokenPieces::build(tokenizer, texts, limit);
  expect(packed.rows() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto row = packed.row(i);
    expect(Ids(row.begin(), row.end()) == pieces_of(tokenizer, texts[i], limit, SpecialTokens::plain));
  }
}

TokenizerSettings settings_of(std::uint8_t flags) {
  TokenizerSettings settings = (flags & 8) != 0 ? TokenizerSettings::mpnet() : TokenizerSettings::bert();
  settings.lower_case = (flags & 1) == 0;
  settings.strip_accents = (flags & 2) == 0;
  settings.split_cjk = (flags & 4) == 0;
  return settings;
}

void run(std::string_view input) {
  if (input.size() < 2) return;
  const auto flags = static_cast<std::uint8_t>(input[0]);
  const std::size_t limit = static_cast<std::uint8_t>(input[1]);
  input.remove_prefix(2);
  std::string_view file;
  if ((flags & 0x30) != 0) {
    file = input.substr(0, input.find(kFileSeparator));
    input.remove_prefix(std::min(input.size(), file.size() + 1));
  }

  TokenizerSettings settings = settings_of(flags);
  if ((flags & 0x20) != 0) {
    // One document in the place of each file: whatever it says is heard.
    const std::string json(file);
    settings = TokenizerSettings::parse({json, json, json, json}, "input");
  }
  const WordPiece tokenizer(parse_vocab((flags & 0x30) == 0x10 ? file : kSmallVocabulary, "input"), settings, "input");
  for (const SpecialTokens mode : {SpecialTokens::plain, SpecialTokens::recognised}) {
    check_mode(tokenizer, input, limit, mode);
  }
  check_packed(tokenizer, input, limit);
}

}  // namespace
}  // namespace hasa

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hasa::set_progress_enabled(false);
  try {
    hasa::run({reinterpret_cast<const char*>(data), size});
  } catch (const hasa::Error&) {
    // A clear refusal is what bad input gets.
  }
  return 0;
}
