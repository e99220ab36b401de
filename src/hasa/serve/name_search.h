#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hasa/kg/graph.h"

namespace hasa {

/// How well a name fits what was typed; the lower the better.
enum class NameFit : std::uint8_t { whole, beginning, later_word, all_words, none };

/// How `wanted` fits a name, or a list of them; both loosely written (serve/loose_name.h).
NameFit name_fit(std::string_view name, std::string_view wanted);

/// Finds the names and ids of a graph in which a word begins as typed: a sorted list of the places where words begin.
/// 16 bytes a word, and the names themselves; a million names take a second or two.
class NameSearch {
 public:
  struct Hit {
    EntityId entity;
    NameFit fit;
    std::uint32_t degree;
  };

  explicit NameSearch(const Graph& graph);

  /// Entities with the name, in a list of names, as the whole name, or as id. By rising number; loosely written.
  struct Called {
    std::vector<EntityId> listed, whole;  // whole: those whose whole name or id it is
  };
  Called called(std::string_view wanted) const;

  /// The best fitting of what begins as typed, best first; some more than `limit` where there are, so that one may drop
  /// some. Of a beginning that very many have, some are looked at.
  std::vector<Hit> search(std::string_view wanted, std::size_t limit) const;

  /// Names that begin with the same two letters, for suggestions; some of very many.
  std::vector<EntityId> beginning_alike(std::string_view wanted) const;

 private:
  struct Word {
    std::uint64_t beginning;  // its first eight letters, as a number that sorts as they do
    std::uint64_t place;      // in text_
  };
  struct Line {
    std::uint64_t begin;
    EntityId entity;
    bool is_id;
  };
  using Range = std::pair<std::size_t, std::size_t>;

  void add_line(std::string_view name, EntityId entity, bool is_id);
  void sort_words();
  Range words_beginning(std::string_view wanted) const;
  const Line& line_at(std::uint64_t place) const;
  std::string_view text_of(const Line& line) const;
  void add_hits(Range range, std::string_view wanted, std::vector<Hit>& hits) const;

  std::string text_;         // a line for each name and each id, loosely written
  std::vector<Line> lines_;  // by place
  std::vector<Word> words_;  // sorted by what stands there
  std::vector<std::uint32_t> degrees_;
};

}  // namespace hasa
