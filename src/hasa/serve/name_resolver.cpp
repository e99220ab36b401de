#include "hasa/serve/name_resolver.h"

#include <algorithm>
#include <utility>

#include "hasa/serve/lookup.h"

namespace hasa {
namespace {

ProblemKind problem_kind_of(Refusal::Reason reason) {
  switch (reason) {
    case Refusal::Reason::not_found: return ProblemKind::not_found;
    case Refusal::Reason::ambiguous: return ProblemKind::ambiguous;
    case Refusal::Reason::conflict: return ProblemKind::conflict;
    case Refusal::Reason::unreadable: return ProblemKind::unanswerable;
  }
  return ProblemKind::unanswerable;
}

std::string field_of(const std::string& where, const char* name) { return where.empty() ? name : where + "." + name; }

}  // namespace

Problem to_problem(const Refusal& refusal, const LiveState& state, const std::string& where) {
  constexpr std::size_t kMostCandidates = 20;
  Problem problem(problem_kind_of(refusal.reason()), where.empty() ? refusal.what() : where + ": " + refusal.what());
  for (const EntityId entity : refusal.candidates()) {
    if (problem.candidates.size() == kMostCandidates) break;
    problem.candidates.push_back({std::string(state.entity_id(entity)), std::string(state.entity_name(entity)),
                                  std::string(state.entity_description(entity))});
  }
  return problem;
}

EntityId NameResolver::entity(const std::string& name, const std::string& where) const {
  try {
    return run_.lookup().entity(state_, name);
  } catch (const Refusal& refusal) {
    throw to_problem(refusal, state_, where);
  }
}

RelationId NameResolver::relation(const std::string& name, const std::string& where) const {
  try {
    return find_relation(state_.graph(), name);
  } catch (const Refusal& refusal) {
    throw to_problem(refusal, state_, field_of(where, "relation"));
  }
}

Given NameResolver::given(const AskedEnd& end, const std::string& where, const char* side) const {
  if (end.entity) return entity(*end.entity, field_of(where, side));
  try {
    (void)run_.reader();
    return UnseenEntity::of_text(*end.text);
  } catch (const Refusal& refusal) {
    throw to_problem(refusal, state_, field_of(where, side) + "_text");
  }
}

NameResolver::Asked NameResolver::question(const AskedQuestion& asked, const Wanted& wanted) const {
  if (!asked.relation) {
    if (wanted.among != nullptr || wanted.occurs_with_relation) {
      hasa::refuse(ProblemKind::unanswerable,
                   "{}candidates and occurs_with_relation are about entities, and this asks for a relation",
                   asked.where.empty() ? "" : asked.where + ": ");
    }
    return RelationQuestion{given(asked.head, asked.where, "head"), given(asked.tail, asked.where, "tail"), wanted.top,
                            wanted.new_only};
  }
  const RelationId directed = relation(*asked.relation, asked.where);
  if (asked.head.given()) return Question{given(asked.head, asked.where, "head"), directed, wanted};
  return Question{given(asked.tail, asked.where, "tail"), inverse(directed, state_.graph().relations()), wanted};
}

Wanted NameResolver::wanted(const PredictRequest& request) const {
  Wanted wanted{.top = request.top, .new_only = request.new_only, .occurs_with_relation = request.occurs_with_relation};
  if (!request.candidates) return wanted;
  std::vector<EntityId> among;
  for (std::size_t i = 0; i < request.candidates->size(); ++i) {
    among.push_back(entity((*request.candidates)[i], fmt::format("candidates[{}]", i)));
  }
  std::sort(among.begin(), among.end());
  among.erase(std::unique(among.begin(), among.end()), among.end());
  wanted.among = std::make_shared<const std::vector<EntityId>>(std::move(among));
  return wanted;
}

Statement NameResolver::statement(const AskedTriple& asked) const {
  return {given(asked.head, asked.where, "head"), relation(asked.relation, asked.where),
          given(asked.tail, asked.where, "tail")};
}

AddTriple NameResolver::ids_of(const AskedTriple& asked) const {
  EntityId head = entity(*asked.head.entity, field_of(asked.where, "head"));
  EntityId tail = entity(*asked.tail.entity, field_of(asked.where, "tail"));
  RelationId directed = relation(asked.relation, asked.where);
  if (directed >= state_.graph().relations()) {  // "reverse of ..."
    directed = inverse(directed, state_.graph().relations());
    std::swap(head, tail);
  }
  return {std::string(state_.entity_id(head)), std::string(state_.graph().relation_id(directed)),
          std::string(state_.entity_id(tail))};
}

AddTriple NameResolver::triple_to_add(const AskedTriple& asked) const { return ids_of(asked); }

RemoveTriple NameResolver::triple_to_remove(const AskedTriple& asked) const {
  AddTriple ids = ids_of(asked);
  return {std::move(ids.head), std::move(ids.relation), std::move(ids.tail)};
}

}  // namespace hasa
