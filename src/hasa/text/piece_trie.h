#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

/// The pieces of a WordPiece vocabulary as a double-array trie over bytes, for finding the longest piece at a
/// place in a word. Two trees share the array: pieces that begin a word, and pieces that go on ("##ing").
///
/// A node is 8 bytes, so a step is one load: cell[base ^ byte] belongs to the parent iff its `check` says so.
class PieceTrie {
 public:
  struct Match {
    std::int32_t id = -1;    ///< -1: no piece
    std::size_t length = 0;  ///< in bytes
  };

  PieceTrie() = default;
  /// A piece's id is its place in the vocabulary. Pieces are distinct.
  explicit PieceTrie(std::span<const std::string> vocabulary);

  /// The longest piece that `word` starts with.
  Match longest_at_start(std::string_view word) const { return longest(start_, word); }
  /// The longest "##" piece that `rest`, what is left of a word, starts with.
  Match longest_inside(std::string_view rest) const { return longest(inside_, rest); }

 private:
  struct Cell {
    std::uint32_t base = 0;    // of the children; 0: none
    std::uint32_t parent = 0;  // index + 1 of the parent, so that 0 is a free cell
  };
  struct Builder;

  Match longest(std::uint32_t node, std::string_view word) const;

  std::vector<Cell> cells_;
  std::vector<std::int32_t> ids_;  // of the piece that ends at a cell, or -1
  std::uint32_t start_ = 0;
  std::uint32_t inside_ = 0;
};

}  // namespace hasa
