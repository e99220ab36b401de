#pragma once

#include <string>
#include <vector>

#include "hasa/families/path/path_model.h"
#include "hasa/model/query.h"

namespace hasa {

/// A step of a path: the relation is directed, so a step against a triple has the inverse.
struct WalkedEdge {
  EntityId from = 0;
  RelationId relation = 0;
  EntityId to = 0;

  bool operator==(const WalkedEdge&) const = default;
};

/// A path from a query's entity to an answer, and its contribution to the answer's score: the mean
/// over its edges of the change of the score, to first order, if that edge's message were removed.
struct StrongPath {
  std::vector<WalkedEdge> edges;
  double weight = 0;
};

/// The paths that contribute most to an answer's score, strongest first, at most `count` and
/// at most as long as the model has layers. Edge i of a path is
/// weighted in layer i by its message times the score's gradient with respect to it. A beam of ten partial paths is
/// kept at each entity, so a path is found unless ten stronger ones lead to one of its entities. No path passes through
/// the answer. Always computed on the CPU, in float32.
std::vector<StrongPath> strongest_paths(const PathModel& model, const PathGraph& graph, const Query& query,
                                        EntityId answer, std::size_t count);

/// "dog -is a kind of-> canine -reverse of is a kind of-> fox"
std::string path_in_words(const StrongPath& path, const Graph& graph);

}  // namespace hasa
