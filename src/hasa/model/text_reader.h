#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/triple.h"

namespace hasa {

/// An entity unseen in training: its text and facts.
struct UnseenEntity {
  /// (the entity, directed relation, neighbour); the neighbour is one of the training graph.
  struct Fact {
    RelationId relation;
    EntityId neighbour;

    auto operator<=>(const Fact&) const = default;
  };

  std::string name;
  std::string description;  // "" where there is none
  std::vector<Fact> facts;

  /// "dog: a domestic animal" is a name and a description; without ": " everything is the name.
  static UnseenEntity of_text(std::string_view text);

  bool operator==(const UnseenEntity&) const = default;
};

/// (entity, directed relation, ?) for an entity unseen in training.
struct UnseenQuery {
  const UnseenEntity* entity = nullptr;
  RelationId relation = 0;
  /// [dim], the result of entity_vectors() for the entity if available, so that families that
  /// form a query from the entity's vector need not encode the text again. Undefined otherwise.
  torch::Tensor vector = {};
};

/// Encodes texts unseen in training, for families that read texts.
/// No gradients; thread-safe. Texts passed together are encoded in one batch.
class TextReader {
 public:
  virtual ~TextReader() = default;

  /// [n, dim] float32, comparable with VectorScorer::entities().
  virtual torch::Tensor entity_vectors(std::span<const UnseenEntity> entities) const = 0;
  /// [n, dim] float32, comparable with VectorScorer::query_vectors().
  virtual torch::Tensor query_vectors(std::span<const UnseenQuery> queries) const = 0;
  /// [n, hidden] float32, unit rows: the language model's own embedding of each text.
  virtual torch::Tensor text_vectors(std::span<const std::string> texts) const = 0;
  /// Whether an entity's facts are part of its vector.
  virtual bool reads_facts() const = 0;
  /// How many tokens the language model reads for the entity, special tokens included: the unit in which batches are
  /// limited.
  virtual std::int64_t tokens(const UnseenEntity& entity) const = 0;
};

}  // namespace hasa
