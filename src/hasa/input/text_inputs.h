#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hasa/input/entity_context.h"
#include "hasa/input/entity_template.h"
#include "hasa/input/graph_tokens.h"
#include "hasa/input/neighbour_names.h"
#include "hasa/input/text_config.h"

namespace hasa {

/// Inputs of a language model laid end to end: input i is ids[offsets[i] .. offsets[i + 1]).
struct PackedInputs {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> segments;  // token type of each
  std::vector<std::int64_t> offsets{0};
  /// For triples only: begin and end of head, relation and tail, six positions relative to the input's start.
  std::vector<std::int32_t> spans;
  /// Soft tokens, to which the id -1 - i refers: edges by SoftKeys.
  std::vector<std::int64_t> soft;

  std::size_t size() const { return offsets.size() - 1; }
};

/// An edge as a number: what a soft token says.
struct SoftKeys {
  std::int64_t entities = 0;  // of the graph

  std::int64_t of(RelationId relation, EntityId neighbour) const { return relation * entities + neighbour; }
};

/// One input to assemble: an entity's text, a directed relation's text, both as a query, or these
/// and another entity's text as a triple: one, two or three texts in the tokenizer's form (text/sequence_form.h).
struct TextRequest {
  EntityId entity = -1;
  RelationId relation = -1;
  std::optional<std::uint32_t> left_out = {};  // training: the triple that the entity's context must not contain
  std::uint32_t draw = 0;                      // evaluation: which sample of edges its context contains
  EntityId unnamed = -1;                       // training: the neighbour whose name must not occur
  EntityId tail = -1;                          // of a triple
  bool own_words = false;                      // of an entity, whatever edges its text has otherwise

  static TextRequest of_entity(EntityId entity, std::uint32_t draw = 0) { return {entity, -1, {}, draw}; }
  static TextRequest of_own_words(EntityId entity) { return {.entity = entity, .own_words = true}; }
  static TextRequest of_relation(RelationId relation) { return {-1, relation}; }
  static TextRequest of_query(EntityId head, RelationId relation, std::uint32_t draw = 0) {
    return {head, relation, {}, draw};
  }
  static TextRequest of_triple(const Triple& triple) {
    return {.entity = triple.head, .relation = triple.relation, .tail = triple.tail};
  }
};

/// The text of an entity that is not in the graph, as tokens.
struct NewText {
  std::vector<std::int32_t> name, description;
  std::vector<Edge> edges;   // to entities of the graph
  RelationId relation = -1;  // a directed one makes it a query
  std::uint32_t draw = 0;    // which sample of its edges to include
};

/// Assembles the inputs of a step from token pieces. An entity's text is truncated so that the input has max_tokens,
/// special tokens included; its soft tokens come on top of that, and so do a query's relation and a triple's tail,
/// truncated the same way. Words and soft tokens tell the same sample of edges: both leave out the same one.
class TextInputs {
 public:
  TextInputs(const WordPiece& tokenizer, GraphTokens tokens, const TextConfig& config, const Graph& graph);

  std::size_t entities() const { return tokens_.names.rows(); }
  std::size_t directed_relations() const { return tokens_.relations.rows(); }
  /// Whether a neighbour's name follows the description of an entity.
  bool names(EntityId entity, EntityId neighbour) const {
    return neighbours_ != nullptr && neighbours_->contains(entity, neighbour);
  }
  /// The maximum number of tokens of any input except triples.
  std::size_t longest_text() const;
  std::size_t longest_triple() const;

  /// Inputs as in evaluation: the same every time.
  PackedInputs for_evaluation(std::span<const TextRequest> requests) const {
    return put_together(requests, std::nullopt);
  }
  /// Texts that are not in the graph, in the same form as in evaluation.
  PackedInputs for_new(std::span<const NewText> texts) const;
  /// Inputs as in training: contexts are sampled by `seed`. Uses
  /// several threads, with the same result for any number of them.
  PackedInputs for_training(std::span<const TextRequest> requests, std::uint64_t seed) const {
    return put_together(requests, seed);
  }

  /// How many context samples evaluation uses per entity; 1 without context.
  std::uint32_t draws() const { return draws_; }
  PackedInputs all_entities(std::uint32_t draw = 0) const;
  /// Texts of all entities without any of their edges.
  PackedInputs own_words() const;
  bool has_soft_tokens() const { return soft_edges_ > 0; }
  PackedInputs all_relations() const;

 private:
  PackedInputs put_together(std::span<const TextRequest> requests, std::optional<std::uint64_t> seed) const;
  /// rng: null for evaluation.
  void append(const TextRequest& request, Rng* rng, std::vector<Edge>& scratch, PackedInputs& inputs) const;
  /// The request's entity or its tail.
  void append_entity(EntityId entity, const TextRequest& request, Rng* rng, std::vector<Edge>& scratch,
                     PackedInputs& inputs) const;
  /// The text of an entity, and the edges that `choose` picks, if the text includes edges.
  template <class Choose>
  void append_words(std::span<const std::int32_t> name, std::span<const std::int32_t> description, const Choose& choose,
                    PackedInputs& inputs) const;
  void append_relation(RelationId relation, bool is_query, PackedInputs& inputs) const;
  /// The part of a description that is read.
  std::span<const std::int32_t> read_of(std::span<const std::int32_t> description) const;
  /// The description of an entity, followed by the names of neighbours.
  std::vector<std::int32_t> described(EntityId entity, std::span<const std::int32_t> description,
                                      const TextRequest& request) const;
  void append_context(std::span<const Edge> edges, std::size_t limit, std::vector<std::int32_t>& ids) const;
  void append_soft(std::span<const Edge> edges, PackedInputs& inputs) const;

  GraphTokens tokens_;
  EntityTemplate template_;
  std::shared_ptr<const EntityContext> context_;      // shared by copies; null without context
  std::shared_ptr<const NeighbourNames> neighbours_;  // likewise
  std::size_t max_tokens_, own_tokens_, relation_tokens_;
  std::size_t word_edges_, soft_edges_;  // how many edges words tell, and how many soft tokens
  std::uint32_t draws_;
  bool first_clause_;
  SequenceForm form_;
  std::int32_t semicolon_;
};

}  // namespace hasa
