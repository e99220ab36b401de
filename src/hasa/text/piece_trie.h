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
/// The child of a node for a byte is the cell `children ^ byte`, if that cell names the node as its parent: one
/// load of 8 bytes a step.
class PieceTrie {
 public:
  struct Match {
    std::int32_t id = -1;    ///< -1: no piece
    std::size_t length = 0;  ///< in bytes
  };

  PieceTrie() = default;
  /// A piece's id is its place in the vocabulary. Pieces are distinct; those longer than any word are left out.
  explicit PieceTrie(std::span<const std::string> vocabulary);

  /// The longest piece that `word` starts with.
  Match longest_at_start(std::string_view word) const { return longest(kStart, word); }
  /// The longest "##" piece that `rest`, what is left of a word, starts with.
  Match longest_inside(std::string_view rest) const { return longest(kInside, rest); }

 private:
  struct Cell {
    std::uint32_t children : 31 = 0;  // 0: no children, for cell 0 is a root
    std::uint32_t ends_piece : 1 = 0;
    std::uint32_t parent_plus_1 = 0;  // 0: the cell is free
  };
  struct Key {
    std::string_view bytes;
    std::int32_t id;
  };
  static constexpr std::uint32_t kStart = 0, kInside = 1;  // the roots

  Match longest(std::uint32_t node, std::string_view word) const;
  void add_tree(std::uint32_t root, std::vector<Key> keys);
  std::uint32_t place_children(std::string_view bytes);

  std::vector<Cell> cells_;        // a multiple of 256
  std::vector<std::int32_t> ids_;  // of the piece that ends at a cell
  std::size_t first_free_ = 2;     // no free cell before it
};

inline PieceTrie::Match PieceTrie::longest(std::uint32_t node, std::string_view word) const {
  std::uint32_t last = 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::uint32_t child = cells_[node].children ^ static_cast<unsigned char>(word[i]);
    if (cells_[child].parent_plus_1 != node + 1) break;
    node = child;
    if (cells_[node].ends_piece) {
      last = node;
      length = i + 1;
    }
  }
  return length == 0 ? Match{} : Match{ids_[last], length};
}

}  // namespace hasa
