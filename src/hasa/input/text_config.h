#pragma once

#include <cstdint>
#include <string>

#include "hasa/base/config.h"

namespace hasa {

/// How an entity is put into words.
struct TextConfig {
  std::string entity = "{name}: {description}";
  std::int64_t max_tokens = 40;
  std::int64_t context = 0;
  std::int64_t own_tokens = 40;
  std::int64_t relation_tokens = 24;
  std::int64_t draws = 1;
  bool first_clause = false;
  std::int64_t neighbours = 0;
  std::int64_t neighbours_below = 20;

  /// What a family shows that reads an entity's own words alone.
  template <class Visitor>
  static void fields(Visitor& field) {
    field("entity", &TextConfig::entity,
          "what is read of an entity: words around {name} and {description}; an entity without a description "
          "is its name alone");
    field("max_tokens", &TextConfig::max_tokens,
          "most tokens of an entity's text, [CLS] and [SEP] included; the rest of a longer one is not read",
          Range{4, 512});
    field("first_clause", &TextConfig::first_clause,
          "read a description up to its first semicolon alone, as the paper's program does");
  }
};

/// Of a family that also reads the names of an entity's neighbours.
struct NeighbourTextConfig : TextConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    TextConfig::fields(field);
    field("neighbours", &TextConfig::neighbours,
          "how many names of an entity's training neighbours follow its description where that is short; an answer's "
          "name is never among them while it is asked for in training; 0 reads its own words alone",
          Range{0, 512});
    field("neighbours_below", &TextConfig::neighbours_below,
          "a description is short where it has fewer words than this", Range{1, 100000});
  }
};

/// Of a family that also reads an entity's training links as words.
struct ContextTextConfig : TextConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    TextConfig::fields(field);
    field("context", &TextConfig::context,
          "how many of its training links an entity's text tells after its own words, each as "
          "\"; <relation> <neighbour>\"; 0 reads its own words alone",
          Range{0, 512});
    field("own_tokens", &TextConfig::own_tokens,
          "most tokens of an entity's own words where context follows them, so that there is room for it",
          Range{1, 512});
    field("relation_tokens", &TextConfig::relation_tokens,
          "most tokens of a relation's words in the context; of longer ones the last are told", Range{1, 512});
    field("draws", &TextConfig::draws,
          "with context: how many choices of its links an entity is read with when the model is validated, evaluated "
          "or asked; its "
          "vector is their mean",
          Range{1, 1024});
  }
};

}  // namespace hasa
