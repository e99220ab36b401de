#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hasa/kg/line_problems.h"
#include "hasa/kg/read/local_ids.h"
#include "hasa/kg/read/text_arena.h"
#include "hasa/kg/triple.h"

namespace hasa {

enum class TextKind : std::uint8_t { name, description };

/// A text that the file itself gives of an entity or a relation. Of several the lowest rank wins, then the first.
struct TextStatement {
  std::int32_t subject;  ///< local number of an entity, or of a relation
  bool of_relation;
  TextKind kind;
  std::uint8_t rank;
  std::string_view text;
};

/// What one piece of a file states, in numbers of its own; it is added to what the files before it stated.
struct Statements {
  LocalIds entities, relations;
  std::vector<Triple> triples;
  std::vector<std::int64_t> times;  ///< one a triple, or none at all
  std::vector<TextStatement> texts;
  LineProblems problems;
  Finding left_out;         ///< values that are neither entities nor texts
  std::uint64_t lines = 0;  ///< that the piece has
  TextArena arena;          ///< strings that do not stand in the file as they are

  void add(std::string_view head, std::string_view relation, std::string_view tail) {
    const EntityId h = entities.add(head);
    triples.push_back({h, relations.add(relation), entities.add(tail)});
  }
};

}  // namespace hasa
