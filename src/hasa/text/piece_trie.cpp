#include "hasa/text/piece_trie.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/text/word_splitter.h"

namespace hasa {

namespace {

constexpr std::size_t kBlock = 256;
constexpr std::size_t kMaxPieceBytes = 4 * WordSplitter::kMaxCharacters;
// Cells further back than this are not tried again: a few stay empty, and building takes time linear in the size.
constexpr std::size_t kSearchedCells = 16 * kBlock;
constexpr std::string_view kInsidePrefix = "##";

}  // namespace

PieceTrie::PieceTrie(std::span<const std::string> vocabulary) : cells_(kBlock), ids_(kBlock, -1) {
  cells_[kStart].parent_plus_1 = cells_[kInside].parent_plus_1 = ~0u;  // taken, and the child of none
  std::vector<Key> start, inside;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    std::string_view piece = vocabulary[i];
    const bool goes_on = piece.size() > kInsidePrefix.size() && piece.starts_with(kInsidePrefix);
    if (goes_on) piece.remove_prefix(kInsidePrefix.size());
    if (piece.empty() || piece.size() > kMaxPieceBytes) continue;
    (goes_on ? inside : start).push_back({piece, static_cast<std::int32_t>(i)});
  }
  add_tree(kStart, std::move(start));
  add_tree(kInside, std::move(inside));
  HASA_CHECK(cells_.size() < (1u << 31), data, "the vocabulary is too large: {} trie cells", cells_.size());
}

void PieceTrie::add_tree(std::uint32_t root, std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.bytes < b.bytes; });
  // The keys from begin to end share the bytes up to depth, which lead to the node.
  struct Subtree {
    std::uint32_t node;
    std::size_t begin, end, depth;
  };
  std::vector<Subtree> open{{root, 0, keys.size(), 0}};
  std::string bytes;
  std::vector<std::size_t> begins;
  while (!open.empty()) {
    Subtree tree = open.back();
    open.pop_back();
    if (tree.begin < tree.end && keys[tree.begin].bytes.size() == tree.depth) {
      cells_[tree.node].ends_piece = 1;
      ids_[tree.node] = keys[tree.begin++].id;
    }
    if (tree.begin == tree.end) continue;

    bytes.clear();
    begins.clear();
    for (std::size_t i = tree.begin; i < tree.end; ++i) {
      const char byte = keys[i].bytes[tree.depth];
      if (!bytes.empty() && bytes.back() == byte) continue;
      bytes.push_back(byte);
      begins.push_back(i);
    }
    begins.push_back(tree.end);
    const std::uint32_t children = place_children(bytes);
    cells_[tree.node].children = children;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t child = children ^ static_cast<unsigned char>(bytes[i]);
      cells_[child].parent_plus_1 = tree.node + 1;
      open.push_back({child, begins[i], begins[i + 1], tree.depth + 1});
    }
  }
}

/// A number whose cells for all these bytes are free. Never 0, which stands for no children.
std::uint32_t PieceTrie::place_children(std::string_view bytes) {
  while (first_free_ < cells_.size() && cells_[first_free_].parent_plus_1 != 0) ++first_free_;
  const std::size_t back = cells_.size() > kSearchedCells ? cells_.size() - kSearchedCells : 0;
  for (std::size_t cell = std::max(first_free_, back);; ++cell) {
    if (cell == cells_.size()) {
      cells_.resize(cells_.size() + kBlock);
      ids_.resize(ids_.size() + kBlock, -1);
    }
    const auto children = static_cast<std::uint32_t>(cell ^ static_cast<unsigned char>(bytes[0]));
    const auto is_free = [&](char byte) {
      return cells_[children ^ static_cast<unsigned char>(byte)].parent_plus_1 == 0;
    };
    if (children != 0 && std::all_of(bytes.begin(), bytes.end(), is_free)) return children;
  }
}

}  // namespace hasa
