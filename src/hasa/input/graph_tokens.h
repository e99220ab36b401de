#pragma once

#include <filesystem>

#include "hasa/kg/graph.h"
#include "hasa/text/token_pieces.h"
#include "hasa/text/word_piece.h"

namespace hasa {

/// The words of a graph as tokens, in the pieces that inputs are put together from. An entity without a name
/// has its id tokenised in its place.
struct GraphTokens {
  TokenPieces names;         // a row for each entity
  TokenPieces descriptions;  // a row for each entity, empty where there is none
  TokenPieces relations;     // a row for each directed relation

  static GraphTokens build(const Graph& graph, const WordPiece& tokenizer);

  /// Maps what an earlier call left in `folder` (a graph's own), or builds it and leaves it there; what is damaged is
  /// built anew, with a warning. A folder that cannot be written to is no error.
  static GraphTokens cached(const Graph& graph, const WordPiece& tokenizer, const std::filesystem::path& folder);
};

}  // namespace hasa
