#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/query.h"
#include "hasa/study/tsne.h"

namespace hasa {

/// A query in words: "08524735 | reverse of instance hypernym". The entity is an id or a name that only one bears, the
/// relation an id or its text, with "reverse of " before it where it is asked from its other end. Throws config for
/// words without a bar, data for names that the graph does not have.
Query parse_query(const std::string& words, const Graph& graph);

/// The queries with most known answers, no relation twice in the same direction.
std::vector<Query> most_answered(const Graph& graph, const KnownAnswers& known, std::size_t count);

/// Known answers of a query, and as many others, or `least` of them where those are few, drawn from all entities that
/// are neither an answer nor the query's own. Both at most `most`, drawn where there are more.
struct QueryTails {
  std::vector<EntityId> positive, negative;
};
QueryTails draw_tails(const Graph& graph, const KnownAnswers& known, const Query& query, std::size_t least,
                      std::size_t most, std::uint64_t seed);

/// How far apart the answers of a query and other entities are.
struct Separation {
  double mean = 0, positive = 0, negative = 0;  // silhouettes, of all and of each group
};

/// A query's tails in the plane.
struct TailMap {
  struct Point {
    std::string name;
    bool positive = false;
    Place place;
    double silhouette = 0;  // among the embeddings
  };
  std::string query;
  std::vector<Point> points;
  Separation embedded, drawn;                 // by distances of the embeddings, and of the places
  std::optional<Separation> before_training;  // of the language model's own embeddings, where they are kept
  double p_value = 1;                         // of the embeddings' mean silhouette, by relabelling
  double neighbours_kept = 0;                 // of ten, in the plane
  double objective_before = 0, objective_after = 0;
};

/// The map of points whose first `positive` are answers. before: the same points before training, or none.
TailMap map_tails(const PointSet& points, const PointSet* before, std::size_t positive, const TsneConfig& config);

}  // namespace hasa
