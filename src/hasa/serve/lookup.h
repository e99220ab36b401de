#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/serve/live_state.h"

namespace hasa {

/// The entity a user means by an id, a name, or one of the names in a list of them ("dog" for "dog, domestic
/// dog"), in this order; also in another case, and with underscores for spaces. Throws Refusal not_found or ambiguous:
/// the message suggests close names, or lists the ids to choose from.
EntityId find_entity(const Graph& graph, const std::string& id_or_name);

/// The directed relation a user means by an id or its text, as freely written; "reverse of ..." means the inverse.
/// Throws Refusal not_found with the nearest names, or all of them where they are few; ambiguous where several fit.
RelationId find_relation(const Graph& graph, const std::string& id_or_text);

class NameSearch;

/// Finds entities by what people call them, among a million in milliseconds at most. Its index of names is built when
/// it is first needed. From several threads.
class Lookup {
 public:
  /// The graph must outlive it.
  explicit Lookup(const Graph& graph);
  ~Lookup();

  /// As find_entity() above, but in the graph as changes have left it.
  EntityId entity(const LiveState& state, std::string_view id_or_name) const;
  /// At most `limit` entities for a search box, the likeliest first: who has the id; then those of this name, or with
  /// it in a list of names; names that begin so; names with a later word that does; names that have all the words. Of
  /// equals those with more links first.
  std::vector<EntityId> search(const LiveState& state, std::string_view words, std::size_t limit) const;
  /// Builds the index now rather than then.
  void prepare() const;

 private:
  struct Lazy;
  const NameSearch& names() const;

  const Graph& graph_;
  std::unique_ptr<Lazy> lazy_;
};

}  // namespace hasa
