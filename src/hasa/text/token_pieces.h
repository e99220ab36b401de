#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hasa/base/archive.h"
#include "hasa/text/word_piece.h"

namespace hasa {

/// What stored pieces were made from. Pieces whose stamp differs from the one wanted are stale.
struct PiecesStamp {
  std::uint64_t tokenizer = 0;  ///< WordPiece::fingerprint()
  std::uint64_t vocab_size = 0;
  std::uint64_t max_pieces = 0;  ///< per text
  std::uint64_t source = 0;      ///< the caller's hash of the texts, or 0

  static PiecesStamp of(const WordPiece& tokenizer, std::size_t max_pieces, std::uint64_t source = 0);
  bool operator==(const PiecesStamp&) const = default;
};

/// The pieces of many texts, packed: row i is ids[offsets[i] .. offsets[i + 1]). Entity texts, entity names and
/// relation texts are one TokenPieces each; the inputs of a step are put together from their rows, so these
/// hold no [CLS] or [SEP], and special tokens written out in a text are plain text.
///
/// In memory after build(), in a mapped file after open(); copies share either.
class TokenPieces {
 public:
  /// The text of a row; `storage` may hold it when it has to be put together. Called from several threads.
  using TextOf = std::function<std::string_view(std::size_t row, std::string& storage)>;

  TokenPieces() = default;

  /// Tokenises in parallel, with a progress bar. Each row keeps its first max_pieces. The text must come as a
  /// string_view: a function that returns a string would leave the view of it dangling.
  template <class Function>
    requires std::same_as<std::invoke_result_t<const Function&, std::size_t, std::string&>, std::string_view>
  static TokenPieces build(const WordPiece& tokenizer, std::size_t rows, const Function& text_of,
                           std::size_t max_pieces, std::uint64_t source = 0) {
    return build_rows(tokenizer, rows, text_of, max_pieces, source);
  }
  static TokenPieces build(const WordPiece& tokenizer, std::span<const std::string_view> texts, std::size_t max_pieces,
                           std::uint64_t source = 0);
  static TokenPieces build(const WordPiece& tokenizer, std::span<const std::string> texts, std::size_t max_pieces,
                           std::uint64_t source = 0);

  std::size_t rows() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::span<const std::int32_t> row(std::size_t i) const {
    return ids_.subspan(static_cast<std::size_t>(offsets_[i]), static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]));
  }
  /// All rows end to end, and where each begins: rows() + 1 offsets, none when empty by default.
  std::span<const std::int32_t> ids() const { return ids_; }
  std::span<const std::int64_t> offsets() const { return offsets_; }

  const PiecesStamp& stamp() const { return stamp_; }

  void save(const std::filesystem::path& path) const;
  /// Maps a file that save() wrote; throws data if it is damaged. Whether it is stale is for the caller to see:
  ///   if (pieces.stamp() != PiecesStamp::of(tokenizer, max_pieces, source)) pieces = TokenPieces::build(...);
  static TokenPieces open(const std::filesystem::path& path);

 private:
  struct Built;
  static TokenPieces build_rows(const WordPiece& tokenizer, std::size_t rows, const TextOf& text_of,
                                std::size_t max_pieces, std::uint64_t source);

  std::shared_ptr<const void> owner_;  // the vectors or the archive that the spans look into
  std::span<const std::int32_t> ids_;
  std::span<const std::int64_t> offsets_;
  PiecesStamp stamp_;
};

}  // namespace hasa
