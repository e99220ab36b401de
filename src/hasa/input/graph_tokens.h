#pragma once

#include <filesystem>

#include "hasa/kg/graph.h"
#include "hasa/text/token_pieces.h"
#include "hasa/text/word_piece.h"

namespace hasa {

/// A graph's texts as tokens, in the pieces from which
/// inputs are assembled. An entity without a name uses its id.
struct GraphTokens {
  TokenPieces names;         // a row for each entity
  TokenPieces descriptions;  // a row per entity, empty without a description
  TokenPieces relations;     // a row for each directed relation

  static GraphTokens build(const Graph& graph, const WordPiece& tokenizer);

  /// Maps the cache of an earlier call in `folder` (the graph's own), or builds and stores it;
  /// a damaged one is rebuilt, with a warning. A folder that is not writable is not an error.
  static GraphTokens cached(const Graph& graph, const WordPiece& tokenizer, const std::filesystem::path& folder);
};

}  // namespace hasa
