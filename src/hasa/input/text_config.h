#pragma once

#include <cstdint>
#include <string>

#include "hasa/base/config.h"
#include "hasa/input/edge_rule.h"

namespace hasa {

/// How an entity becomes a text.
struct TextConfig {
  std::string entity = "{name}: {description}";
  std::int64_t max_tokens = 40;
  std::int64_t context = 0;
  EdgeRule hidden_edges = EdgeRule::exact;
  std::int64_t soft_neighbours = 0;
  std::int64_t own_tokens = 40;
  std::int64_t relation_tokens = 24;
  std::int64_t draws = 1;
  bool first_clause = false;
  std::int64_t neighbours = 0;
  std::int64_t neighbours_below = 20;

  /// For families that read only an entity's own text.
  template <class Visitor>
  static void fields(Visitor& field) {
    field("entity", &TextConfig::entity,
          "template of an entity's text, with {name} and {description}; an entity without a description is its name "
          "alone");
    field("max_tokens", &TextConfig::max_tokens,
          "maximum number of tokens of an entity's text, [CLS] and [SEP] included; longer texts are truncated",
          Range{4, 512});
    field("first_clause", &TextConfig::first_clause,
          "truncate descriptions at the first semicolon, as the paper's program does");
  }
};

/// For families that also read the names of an entity's neighbours.
struct NeighbourTextConfig : TextConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    TextConfig::fields(field);
    field("neighbours", &TextConfig::neighbours,
          "how many neighbours' names follow a short description; in training, never the name of the answer being "
          "predicted; 0: none",
          Range{0, 512});
    field("neighbours_below", &TextConfig::neighbours_below, "descriptions with fewer words than this are short",
          Range{1, 100000});
  }
};

/// Whether an entity's text includes edges, in words or as soft tokens.
inline bool tells_edges(const TextConfig& config) { return config.context > 0 || config.soft_neighbours > 0; }

/// For families that also read an entity's training edges as text.
struct ContextTextConfig : TextConfig {
  std::int64_t soft_refresh = 200;

  template <class Visitor>
  static void fields(Visitor& field) {
    TextConfig::fields(field);
    field("context", &TextConfig::context,
          "how many of its training edges follow an entity's own text, each as \"; <relation> <neighbour>\"; 0: none",
          Range{0, 512});
    field("hidden_edges", &TextConfig::hidden_edges, kEdgeRuleDoc);
    field("own_tokens", &TextConfig::own_tokens,
          "maximum number of tokens of an entity's own text if context follows it, which leaves room for the context",
          Range{1, 512});
    field("relation_tokens", &TextConfig::relation_tokens,
          "maximum number of tokens of a relation in the context; the last ones are kept", Range{1, 512});
    field(
        "draws", &TextConfig::draws,
        "with context or soft neighbours, for validation, evaluation and prediction: number of samples of an entity's "
        "edges over which its vector is averaged",
        Range{1, 1024});
    field("soft_neighbours", &TextConfig::soft_neighbours,
          "how many of its training edges follow an entity's text as soft tokens, one each, made of the neighbour's "
          "vector and a learned vector of the relation; on top of text.max_tokens, beside context or instead of it; 0: "
          "none",
          Range{0, 512});
    field("soft_refresh", &ContextTextConfig::soft_refresh,
          "steps of training after which the vectors of which soft tokens are made are read anew", Range{1, 1e9});
  }
};

}  // namespace hasa
