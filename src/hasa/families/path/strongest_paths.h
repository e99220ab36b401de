#pragma once

#include <string>
#include <vector>

#include "hasa/families/path/path_model.h"
#include "hasa/model/query.h"

namespace hasa {

/// An edge of a path as it is walked: the relation is directed, so an edge walked against a triple has its inverse.
struct WalkedEdge {
  EntityId from = 0;
  RelationId relation = 0;
  EntityId to = 0;

  bool operator==(const WalkedEdge&) const = default;
};

/// A path from a query's entity to an answer, and how much of the answer's score came along it: the mean over its edges
/// of what the score would change by, to first order, if that edge's message were left out.
struct StrongPath {
  std::vector<WalkedEdge> edges;
  double weight = 0;
};

/// The paths that speak most for an answer, strongest first, at most `count` and at most as long as the model has
/// layers. Edge i of a path is weighed by what layer i made of its message: the message times the score's gradient in
/// it. A beam of ten partial paths is kept at each entity, so a path is found unless ten stronger ones lead to one of
/// its entities. An answer is never walked through. Always computed on the CPU, in float32.
std::vector<StrongPath> strongest_paths(const PathModel& model, const PathGraph& graph, const Query& query,
                                        EntityId answer, std::size_t count);

/// "dog -is a kind of-> canine -reverse of is a kind of-> fox"
std::string path_in_words(const StrongPath& path, const Graph& graph);

}  // namespace hasa
