#include "hasa/text/word_piece.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"
#include "hasa/text/unicode.h"
#include "hasa/text/vocab_file.h"

namespace hasa {

namespace {

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  return hash_bytes(text.data(), text.size(), seed);
}

std::uint64_t fingerprint_of(const std::vector<std::string>& vocabulary, const TokenizerSettings& settings) {
  std::uint64_t hash = vocabulary.size();
  for (const std::string& token : vocabulary) hash = hash_text(token, hash);
  for (const std::string& name : {settings.cls, settings.sep, settings.unk}) hash = hash_text(name, hash);
  const std::array<std::uint64_t, 4> rules = {settings.lower_case, settings.strip_accents, settings.split_cjk,
                                              settings.pair_separators};
  hash = hash_bytes(rules.data(), sizeof(rules), hash);
  return hash_text(unicode::versions(), hash);
}

/// The id of a token, or -1.
std::int32_t find_token(const std::vector<std::string>& vocabulary, std::string_view token) {
  const auto found = std::find(vocabulary.begin(), vocabulary.end(), token);
  return found == vocabulary.end() ? -1 : static_cast<std::int32_t>(found - vocabulary.begin());
}

}  // namespace

WordPiece WordPiece::load(const std::filesystem::path& folder) {
  HASA_CHECK(std::filesystem::is_directory(folder), data,
             "{} is not a folder\nexpected a language model's folder with config.json and vocab.txt", folder.string());
  const std::filesystem::path file = folder / "vocab.txt";
  HASA_CHECK(std::filesystem::exists(file), data,
             "{} is not there\nmodels with a WordPiece vocabulary (BERT, MPNet) have one; others are not supported",
             file.string());
  return WordPiece(read_vocab_file(file), TokenizerSettings::load(folder), file.string());
}

WordPiece::WordPiece(const std::vector<std::string>& vocabulary, const TokenizerSettings& settings,
                     std::string_view origin)
    : settings_(settings),
      rules_(settings),
      pieces_(vocabulary),
      vocab_size_(vocabulary.size()),
      fingerprint_(fingerprint_of(vocabulary, settings)) {
  const auto required = [&](const std::string& token, std::string_view role) {
    const std::int32_t id = find_token(vocabulary, token);
    HASA_CHECK(id >= 0, data, "{}: has no line \"{}\", the {}\nother names are set in tokenizer_config.json", origin,
               token, role);
    return id;
  };
  cls_id_ = required(settings.cls, "token that begins a text");
  sep_id_ = required(settings.sep, "token that ends a text");
  unk_id_ = required(settings.unk, "token for unknown words");
  pad_id_ = find_token(vocabulary, settings.pad);
  for (const std::string& name : {settings.cls, settings.sep, settings.unk, settings.pad, settings.mask}) {
    const std::int32_t id = find_token(vocabulary, name);
    if (id < 0) continue;
    specials_.push_back({name, id});
    begins_special_[static_cast<unsigned char>(name[0])] = true;
  }
  // Of two that begin at the same place the longer one is meant.
  std::stable_sort(specials_.begin(), specials_.end(),
                   [](const Special& a, const Special& b) { return a.text.size() > b.text.size(); });
}

std::size_t WordPiece::encode(std::string_view text, std::vector<std::int32_t>& ids, std::size_t max_pieces,
                              SpecialTokens mode) const {
  const std::size_t before = ids.size();
  const std::size_t end = max_pieces < kNoLimit - before ? before + max_pieces : kNoLimit;
  if (mode == SpecialTokens::recognised) {
    std::size_t position = 0;
    while (const Special* special = next_special(text, position)) {
      encode_plain(text.substr(0, position), ids, end);
      if (ids.size() == end) return end - before;
      ids.push_back(special->id);
      text.remove_prefix(position + special->text.size());
      position = 0;
    }
  }
  encode_plain(text, ids, end);
  return ids.size() - before;
}

/// The first special token written out at or after `position`, which moves there.
const WordPiece::Special* WordPiece::next_special(std::string_view text, std::size_t& position) const {
  for (; position < text.size(); ++position) {
    if (!begins_special_[static_cast<unsigned char>(text[position])]) [[likely]]
      continue;
    for (const Special& special : specials_) {
      if (text.substr(position).starts_with(special.text)) return &special;
    }
  }
  return nullptr;
}

void WordPiece::encode_plain(std::string_view text, std::vector<std::int32_t>& ids, std::size_t end) const {
  WordSplitter words(rules_, text);
  while (ids.size() < end && words.next()) {
    if (words.too_long()) {
      ids.push_back(unk_id_);
    } else {
      encode_word(words.word(), ids);
    }
  }
  if (ids.size() > end) ids.resize(end);
}

void WordPiece::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  PieceTrie::Match piece = pieces_.longest_at_start(word);
  while (piece.id >= 0) {
    ids.push_back(piece.id);
    word.remove_prefix(piece.length);
    if (word.empty()) return;
    piece = pieces_.longest_inside(word);
  }
  ids.resize(before);
  ids.push_back(unk_id_);
}

std::vector<std::int32_t> WordPiece::encode_with_specials(std::string_view text, std::size_t max_length,
                                                          SpecialTokens mode) const {
  HASA_CHECK(max_length >= 2, config, "a length of {} has no room for {} and {}", max_length, settings_.cls,
             settings_.sep);
  std::vector<std::int32_t> ids{cls_id_};
  encode(text, ids, max_length - 2, mode);
  ids.push_back(sep_id_);
  return ids;
}

EncodedPair WordPiece::encode_pair(std::string_view first, std::string_view second, std::size_t max_length,
                                   SpecialTokens mode) const {
  HASA_CHECK(max_length >= pair_overhead(), config, "a length of {} has no room for the {} special tokens of a pair",
             max_length, pair_overhead());
  const std::size_t room = max_length - pair_overhead();
  std::vector<std::int32_t> a, b;
  encode(first, a, kNoLimit, mode);  // in full: which of the two is cut depends on both lengths
  encode(second, b, kNoLimit, mode);
  const auto [keep_a, keep_b] = longest_first(a.size(), b.size(), room);
  a.resize(keep_a);
  b.resize(keep_b);

  EncodedPair pair;
  const SequenceForm form = this->form();
  SequenceWriter sequence(form, pair.ids, pair.segments);
  sequence.begin_text();
  pair.ids.insert(pair.ids.end(), a.begin(), a.end());
  sequence.begin_text();
  pair.ids.insert(pair.ids.end(), b.begin(), b.end());
  sequence.finish();
  return pair;
}

std::pair<std::size_t, std::size_t> longest_first(std::size_t first, std::size_t second, std::size_t room) {
  if (second <= room && first <= room - second) return {first, second};
  const std::size_t shorter = std::min(first, second);
  if (shorter <= room / 2) {
    return first <= second ? std::pair{first, room - first} : std::pair{room - second, second};
  }
  const std::size_t half = room / 2, rest = room - half;
  return first <= second ? std::pair{half, rest} : std::pair{rest, half};
}

}  // namespace hasa
