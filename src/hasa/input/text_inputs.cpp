#include "hasa/input/text_inputs.h"

#include <algorithm>
#include <utility>

namespace hasa {

TextInputs::TextInputs(const WordPiece& tokenizer, GraphTokens tokens, const TextConfig& config)
    : tokens_(std::move(tokens)),
      template_(config.entity, tokenizer),
      max_tokens_(static_cast<std::size_t>(config.max_tokens)),
      cls_(tokenizer.cls_id()),
      sep_(tokenizer.sep_id()) {}

void TextInputs::append_entity(EntityId entity, PackedInputs& inputs) const {
  inputs.ids.push_back(cls_);
  const auto row = static_cast<std::size_t>(entity);
  template_.append(tokens_.names.row(row), tokens_.descriptions.row(row), inputs.ids);
  finish(inputs);
}

void TextInputs::append_relation(RelationId relation, PackedInputs& inputs) const {
  inputs.ids.push_back(cls_);
  const auto words = tokens_.relations.row(static_cast<std::size_t>(relation));
  inputs.ids.insert(inputs.ids.end(), words.begin(), words.end());
  finish(inputs);
}

void TextInputs::finish(PackedInputs& inputs) const {
  const auto begin = static_cast<std::size_t>(inputs.offsets.back());
  inputs.ids.resize(std::min(inputs.ids.size(), begin + max_tokens_ - 1));
  inputs.ids.push_back(sep_);
  inputs.offsets.push_back(static_cast<std::int64_t>(inputs.ids.size()));
}

PackedInputs TextInputs::all_entities() const {
  PackedInputs inputs;
  for (std::size_t e = 0; e < entities(); ++e) append_entity(static_cast<EntityId>(e), inputs);
  return inputs;
}

PackedInputs TextInputs::all_relations() const {
  PackedInputs inputs;
  for (std::size_t r = 0; r < directed_relations(); ++r) append_relation(static_cast<RelationId>(r), inputs);
  return inputs;
}

}  // namespace hasa
