#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/input/entity_template.h"
#include "hasa/input/graph_tokens.h"
#include "hasa/input/text_config.h"

namespace hasa {

/// Inputs of a language model laid end to end: input i is ids[offsets[i] .. offsets[i + 1]).
struct PackedInputs {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};

  std::size_t size() const { return offsets.size() - 1; }
};

/// Puts the inputs of a step together from token pieces: [CLS] text [SEP], cut at the end of the text to
/// max_tokens in all.
class TextInputs {
 public:
  TextInputs(const WordPiece& tokenizer, GraphTokens tokens, const TextConfig& config);

  std::size_t entities() const { return tokens_.names.rows(); }
  std::size_t directed_relations() const { return tokens_.relations.rows(); }

  void append_entity(EntityId entity, PackedInputs& inputs) const;
  void append_relation(RelationId relation, PackedInputs& inputs) const;

  PackedInputs all_entities() const;
  PackedInputs all_relations() const;

 private:
  void finish(PackedInputs& inputs) const;

  GraphTokens tokens_;
  EntityTemplate template_;
  std::size_t max_tokens_;
  std::int32_t cls_, sep_;
};

}  // namespace hasa
