#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hasa/serve/front/problem.h"
#include "hasa/serve/front/requests.h"
#include "hasa/serve/live_graph.h"
#include "hasa/serve/question.h"
#include "hasa/serve/refusal.h"
#include "hasa/serve/served_run.h"

namespace hasa {

/// What a refused question or change is answered with; `where` is the field, "" where there is but one.
Problem to_problem(const Refusal& refusal, const LiveState& state, const std::string& where);

/// Puts numbers to the names of a request, as one state of the graph has them. Throws Problem: not_found with the
/// nearest names, ambiguous with the entities to choose from, unanswerable for texts where the run reads none; the
/// message begins with the field that is meant.
class NameResolver {
 public:
  /// Both must outlive it.
  NameResolver(const ServedRun& run, const LiveState& state) : run_(run), state_(state) {}

  using Asked = std::variant<Question, RelationQuestion>;
  Asked question(const AskedQuestion& asked, const Wanted& wanted) const;
  /// Shared by the questions of a request.
  Wanted wanted(const PredictRequest& request) const;
  Statement statement(const AskedTriple& asked) const;
  AddTriple triple_to_add(const AskedTriple& asked) const;
  RemoveTriple triple_to_remove(const AskedTriple& asked) const;
  EntityId entity(const std::string& name, const std::string& where) const;

 private:
  Given given(const AskedEnd& end, const std::string& where, const char* side) const;
  RelationId relation(const std::string& name, const std::string& where) const;
  /// Head, relation (not an inverse) and tail by their ids.
  AddTriple ids_of(const AskedTriple& asked) const;

  const ServedRun& run_;
  const LiveState& state_;
};

}  // namespace hasa
