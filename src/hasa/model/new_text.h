#pragma once

#include "hasa/input/text_inputs.h"
#include "hasa/model/text_reader.h"
#include "hasa/text/word_piece.h"

namespace hasa {

/// The entity's words and facts as inputs are put together from them, the facts sorted: a text does not depend on the
/// order in which they were told.
NewText new_text(const WordPiece& tokenizer, const UnseenEntity& entity);

/// Texts as they are, each an input of at most `most` tokens.
PackedInputs plain_inputs(const WordPiece& tokenizer, std::span<const std::string> texts, std::size_t most);

/// The entities of some queries, for families that make a query of the entity's vector and the relation's. One that is
/// asked about many times is read once.
struct UnseenVectors {
  UnseenVectors(const TextReader& reader, std::span<const UnseenQuery> queries);

  torch::Tensor of_each;    // [queries, dim]
  torch::Tensor relations;  // [queries] int64
};

}  // namespace hasa
