#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/audit.h"
#include "hasa/kg/lineage.h"
#include "hasa/kg/string_table.h"
#include "hasa/kg/triple.h"
#include "hasa/kg/vocabulary.h"

namespace hasa {

class NameIndex;

/// What a reader gathers to make a graph of. A text table is empty when the source has no such texts, else
/// it has one string for each entity or relation, "" where one is missing.
struct GraphParts {
  Vocabulary entities;
  Vocabulary relations;
  StringTable names;
  StringTable descriptions;
  StringTable relation_texts;
  std::array<std::vector<Triple>, 3> triples;      // by Split
  std::array<std::vector<std::int64_t>, 3> times;  // of the triples; all empty where the source has none
  Audit found;                                     // the readers' part
  const Graph* grew_from = nullptr;                // of a graph that keeps its numbers
};

/// A knowledge graph and its text: entities and relations numbered from 0, triples in three splits. It is
/// immutable, and the same whether its memory is its own or a mapped file.
class Graph {
 public:
  /// Throws data when the parts do not fit each other; completes the audit.
  explicit Graph(GraphParts parts);
  /// Opens what save() wrote, in milliseconds. Everything in the file is checked before it is used.
  static Graph open(const std::filesystem::path& folder);
  /// The same for the bytes of a graph.bin; `name` is for messages.
  static Graph from_bytes(std::vector<std::byte> bytes, const std::string& name);
  /// The folder appears whole or not at all; an older graph there is replaced, anything else is refused. The texts'
  /// embeddings that are cached in the folder `grew_from`, of a graph from which this one grew, come along: most of
  /// them are this one's too.
  void save(const std::filesystem::path& folder, const std::filesystem::path& grew_from = {}) const;

  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  EntityId entities() const { return static_cast<EntityId>(entity_ids_.size()); }
  RelationId relations() const { return static_cast<RelationId>(relation_ids_.size()); }
  /// Each relation and its inverse: r + relations() is the inverse of r.
  RelationId num_directed_relations() const { return 2 * relations(); }

  std::string_view entity_id(EntityId entity) const { return entity_ids_[entity]; }
  /// The id when the entity has no name.
  std::string_view entity_name(EntityId entity) const;
  /// "" when there is none.
  std::string_view entity_description(EntityId entity) const;
  /// For r < relations().
  std::string_view relation_id(RelationId relation) const { return relation_ids_[relation]; }
  /// For any directed relation; an inverse is "reverse of <text>". The id stands for a missing text.
  std::string relation_text(RelationId relation) const;
  /// Whether the source gave one.
  bool has_name(EntityId entity) const { return !names_.empty() && !names_[entity].empty(); }
  bool has_relation_text(RelationId r) const { return !relation_texts_.empty() && !relation_texts_[r].empty(); }

  std::optional<EntityId> find_entity(std::string_view id) const { return entity_ids_.find(id); }
  std::optional<RelationId> find_relation(std::string_view id) const { return relation_ids_.find(id); }
  /// Entities of this very name, by rising id; if there are none, those that bear it in another case.
  std::vector<EntityId> entities_named(std::string_view name) const;
  /// Relations of this text, by the same rule.
  std::vector<RelationId> relations_named(std::string_view text) const;

  std::span<const Triple> triples(Split split) const { return triples_[static_cast<int>(split)].span(); }

  /// When each triple of the split holds, in numbers that rise with time; empty when the source did not say.
  std::span<const std::int64_t> times(Split split) const { return times_[static_cast<int>(split)].span(); }
  bool has_times() const;

  /// What entities_named looks in; built when first asked for, unless it is mapped.
  const NameIndex& name_index() const;

  const Audit& audit() const { return audit_; }
  /// The graphs that this one grew from.
  const Lineage& lineage() const { return lineage_; }
  /// What it has beyond the graph of this content hash: nothing for its own, no value for a graph it did not grow from.
  std::optional<Growth> growth_since(std::uint64_t hash) const;
  /// Of ids, texts and triples, in their order: equal for equal graphs, however they were stored. Computed once.
  std::uint64_t content_hash() const;

  static constexpr const char* kFileName = "graph.bin";
  static constexpr std::uint32_t kFormatVersion = 1;

 private:
  struct Lazy;
  Graph();
  static Graph from_archive(std::unique_ptr<Archive> archive);
  /// Throws data when tables and triples do not fit each other.
  void check() const;

  std::unique_ptr<Archive> archive_;  // what the members below view, when the graph is mapped
  Vocabulary entity_ids_;
  Vocabulary relation_ids_;
  StringTable names_;
  StringTable descriptions_;
  StringTable relation_texts_;
  std::array<StoredArray<Triple>, 3> triples_;
  std::array<StoredArray<std::int64_t>, 3> times_;
  Audit audit_;
  Lineage lineage_;
  std::unique_ptr<Lazy> lazy_;  // what is computed when first asked for: the content hash; the name index unless mapped
};

}  // namespace hasa
