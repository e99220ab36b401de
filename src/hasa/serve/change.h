#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "hasa/kg/triple.h"

namespace hasa {

// Changes of a live graph. They name entities and relations by their ids.

/// Adds the entity, or gives one that is there another text.
struct PutEntity {
  std::string id, name, description;
};
/// All of its links go with it.
struct DeleteEntity {
  std::string id;
};
struct AddTriple {
  std::string head, relation, tail;
};
struct RemoveTriple {
  std::string head, relation, tail;
};
using Change = std::variant<PutEntity, DeleteEntity, AddTriple, RemoveTriple>;

/// What became of a change.
struct Applied {
  bool changed = true;   // false: all was so before, as when a known triple is added, or removed one that is not there
  bool created = false;  // an entity that was not there
  EntityId entity = -1;  // the one put or deleted, or the triple's head
};

/// Throws config for an id or a text of a form that none may have: ids and names are one line of UTF-8.
void check_form(const Change& change);

/// A change as a journal keeps it: its kind, then its texts, each behind its length. Back, it throws data for what
/// to_record() did not write.
std::string to_record(const Change& change);
Change change_from(std::string_view record);

}  // namespace hasa
