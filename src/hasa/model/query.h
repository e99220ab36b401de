#pragma once

#include "hasa/kg/triple.h"

namespace hasa {

/// A question (given, relation, ?). The relation is directed, so (?, r, t) is {t, inverse of r}.
struct Query {
  EntityId given = 0;
  RelationId relation = 0;

  auto operator<=>(const Query&) const = default;
};

/// The query that a directed triple answers with its tail.
inline Query query_of(const Triple& triple) { return {triple.head, triple.relation}; }

}  // namespace hasa
