#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/kg/known_answers.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// Corrupts true triples by replacing head, tail or relation at random.
///
/// The result is never a known triple, and differs from the original; if none is found
/// in some hundred draws, as for a head with all tails known, there is no result.
class Corruption {
 public:
  /// `known` must outlive it.
  Corruption(const KnownAnswers& known, EntityId entities, RelationId relations)
      : known_(known), entities_(entities), relations_(relations) {}

  /// Head or tail, with equal probability, replaced by any entity. The triple's relation is not an inverse.
  std::optional<Triple> of_an_end(const Triple& triple, Rng& rng) const;
  /// The same with entities that occur at that end of the relation in `ends`.
  class Ends;
  std::optional<Triple> of_an_end(const Triple& triple, const Ends& ends, Rng& rng) const;
  /// The relation replaced.
  std::optional<Triple> of_the_relation(const Triple& triple, Rng& rng) const;

 private:
  bool is_known(const Triple& triple) const { return known_.contains(triple.head, triple.relation, triple.tail); }
  template <class Draw>
  std::optional<Triple> drawn(const Triple& triple, const Draw& draw) const;

  const KnownAnswers& known_;
  EntityId entities_;
  RelationId relations_;
};

/// The distinct entities at each end of a relation in some triples.
class Corruption::Ends {
 public:
  Ends(std::span<const Triple> triples, RelationId relations);
  std::span<const EntityId> heads(RelationId relation) const { return heads_[static_cast<std::size_t>(relation)]; }
  std::span<const EntityId> tails(RelationId relation) const { return tails_[static_cast<std::size_t>(relation)]; }

 private:
  std::vector<std::vector<EntityId>> heads_, tails_;
};

}  // namespace hasa
