#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/triple.h"

namespace hasa {

/// What is told of an entity that training never saw.
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

  /// "dog: a domestic animal" is a name and a description; without ": " all of it is the name.
  static UnseenEntity of_text(std::string_view text);

  bool operator==(const UnseenEntity&) const = default;
};

/// (entity, directed relation, ?) of an entity that training never saw.
struct UnseenQuery {
  const UnseenEntity* entity = nullptr;
  RelationId relation = 0;
  /// [dim], what entity_vectors() made of the entity, where that is at hand: a family that makes a query of the
  /// entity's vector need not read the text again. Undefined otherwise.
  torch::Tensor vector = {};
};

/// Makes vectors of texts that training never saw, for families that read texts. No gradients; all of it may be called
/// from several threads. Texts that are handed over together are read together.
class TextReader {
 public:
  virtual ~TextReader() = default;

  /// [n, dim] float32, comparable with VectorScorer::entities().
  virtual torch::Tensor entity_vectors(std::span<const UnseenEntity> entities) const = 0;
  /// [n, dim] float32, comparable with VectorScorer::query_vectors().
  virtual torch::Tensor query_vectors(std::span<const UnseenQuery> queries) const = 0;
  /// [n, hidden] float32, unit rows: what the language model itself makes of each text.
  virtual torch::Tensor text_vectors(std::span<const std::string> texts) const = 0;
  /// Whether an entity's facts are part of its vector.
  virtual bool reads_facts() const = 0;
  /// How many tokens the language model reads for the entity, special ones included: what a batch is measured by.
  virtual std::int64_t tokens(const UnseenEntity& entity) const = 0;
};

}  // namespace hasa
