#include "hasa/text/token_pieces.h"

#include <algorithm>
#include <cstring>

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/base/thread_pool.h"

namespace hasa {

namespace {

constexpr const char* kKind = "tokens";
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::size_t kGrain = 4096;  // texts a part: about a millisecond of work

/// The pieces of consecutive rows.
struct Part {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> lengths;
};

Part tokenise(const WordPiece& tokenizer, std::size_t begin, std::size_t end, const TokenPieces::TextOf& text_of,
              std::size_t max_pieces) {
  Part part;
  part.lengths.reserve(end - begin);
  std::string storage;
  for (std::size_t row = begin; row < end; ++row) {
    const std::size_t length = tokenizer.encode(text_of(row, storage), part.ids, max_pieces, SpecialTokens::plain);
    part.lengths.push_back(static_cast<std::int64_t>(length));
  }
  part.ids.shrink_to_fit();
  return part;
}

}  // namespace

struct TokenPieces::Built {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};
};

PiecesStamp PiecesStamp::of(const WordPiece& tokenizer, std::size_t max_pieces, std::uint64_t source) {
  return {tokenizer.fingerprint(), tokenizer.vocab_size(), max_pieces, source};
}

TokenPieces TokenPieces::build_rows(const WordPiece& tokenizer, std::size_t rows, const TextOf& text_of,
                                    std::size_t max_pieces, std::uint64_t source) {
  std::vector<Part> parts((rows + kGrain - 1) / kGrain);
  Progress progress("tokenising", rows, "texts");
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    parts[begin / kGrain] = tokenise(tokenizer, begin, end, text_of, max_pieces);
    progress.advance(end - begin);
  });
  progress.finish();

  const auto built = std::make_shared<Built>();
  std::size_t total = 0;
  for (const Part& part : parts) total += part.ids.size();
  built->ids.reserve(total);
  built->offsets.reserve(rows + 1);
  for (Part& part : parts) {
    built->ids.insert(built->ids.end(), part.ids.begin(), part.ids.end());
    for (const std::int64_t length : part.lengths) built->offsets.push_back(built->offsets.back() + length);
    part = {};
  }

  TokenPieces pieces;
  pieces.ids_ = built->ids;
  pieces.offsets_ = built->offsets;
  pieces.owner_ = built;
  pieces.stamp_ = PiecesStamp::of(tokenizer, max_pieces, source);
  return pieces;
}

TokenPieces TokenPieces::build(const WordPiece& tokenizer, std::span<const std::string_view> texts,
                               std::size_t max_pieces, std::uint64_t source) {
  return build(tokenizer, texts.size(), [&](std::size_t row, std::string&) { return texts[row]; }, max_pieces, source);
}

TokenPieces TokenPieces::build(const WordPiece& tokenizer, std::span<const std::string> texts, std::size_t max_pieces,
                               std::uint64_t source) {
  const auto text_of = [&](std::size_t row, std::string&) { return std::string_view(texts[row]); };
  return build(tokenizer, texts.size(), text_of, max_pieces, source);
}

void TokenPieces::save(const std::filesystem::path& path) const {
  static constexpr std::int64_t kNoRows[] = {0};
  ArchiveWriter writer(kKind, kFormatVersion);
  writer.add("stamp", std::span<const PiecesStamp>(&stamp_, 1));
  writer.add("offsets", offsets_.empty() ? std::span<const std::int64_t>(kNoRows) : offsets_);
  writer.add("ids", ids_);
  writer.save(path);
}

TokenPieces TokenPieces::open(const std::filesystem::path& path) {
  const auto archive = std::make_shared<const Archive>(path, kKind, kFormatVersion);
  const std::string name = path.string();
  const auto stamps = archive->section<PiecesStamp>("stamp");
  HASA_CHECK(stamps.size() == 1, data, "{}: {} stamps instead of one", name, stamps.size());

  TokenPieces pieces;
  pieces.stamp_ = stamps[0];
  pieces.offsets_ = archive->section<std::int64_t>("offsets");
  pieces.ids_ = archive->section<std::int32_t>("ids");
  pieces.owner_ = archive;

  const auto& offsets = pieces.offsets_;
  const bool rows_in_order = !offsets.empty() && offsets.front() == 0 &&
                             std::is_sorted(offsets.begin(), offsets.end()) &&
                             static_cast<std::uint64_t>(offsets.back()) == pieces.ids_.size();
  HASA_CHECK(rows_in_order, data, "{}: the rows do not add up to {} pieces", name, pieces.ids_.size());
  for (const std::int32_t id : pieces.ids_) {
    HASA_CHECK(id >= 0 && static_cast<std::uint64_t>(id) < pieces.stamp_.vocab_size, data,
               "{}: id {} is not in a vocabulary of {}", name, id, pieces.stamp_.vocab_size);
  }
  return pieces;
}

}  // namespace hasa
