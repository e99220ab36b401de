#pragma once

#include "hasa/input/text_inputs.h"
#include "hasa/model/text_reader.h"
#include "hasa/text/word_piece.h"

namespace hasa {

/// The entity's text and facts in the form inputs are assembled from, with the
/// facts sorted: a text does not depend on the order in which they are given.
NewText new_text(const WordPiece& tokenizer, const UnseenEntity& entity);

/// Plain texts, each an input of at most `most` tokens.
PackedInputs plain_inputs(const WordPiece& tokenizer, std::span<const std::string> texts, std::size_t most);

/// The entities of some queries, for families that form a query from
/// the vectors of entity and relation. Each distinct entity is encoded once.
struct UnseenVectors {
  UnseenVectors(const TextReader& reader, std::span<const UnseenQuery> queries);

  torch::Tensor of_each;    // [queries, dim]
  torch::Tensor relations;  // [queries] int64
};

}  // namespace hasa
