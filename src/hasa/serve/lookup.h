#pragma once

#include <string>

#include "hasa/kg/graph.h"

namespace hasa {

/// The entity a user means by an id, a name, or one of the names in a list of them ("dog" for "dog, domestic
/// dog"), in this order; also in another case, and with underscores for spaces. Throws data when nothing or more than
/// one entity fits: the message suggests close names, or lists the ids to choose from.
EntityId find_entity(const Graph& graph, const std::string& id_or_name);

/// The directed relation a user means by an id or its text, as freely written; "reverse of ..." means the inverse.
/// Throws data with the nearest names, or all of them where they are few.
RelationId find_relation(const Graph& graph, const std::string& id_or_text);

}  // namespace hasa
