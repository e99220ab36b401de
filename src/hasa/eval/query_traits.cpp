#include "hasa/eval/query_traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "hasa/kg/adjacency.h"
#include "hasa/kg/pair_distance.h"
#include "hasa/kg/relation_cardinality.h"

namespace hasa {
namespace {

/// Makes traits of one set of queries, which are asked for one property after another.
class Traits {
 public:
  Traits(std::span<const RankedQuery> ranked, const Graph& graph)
      : ranked_(ranked), graph_(graph), adjacency_(graph), distance_(distances()) {}

  QueryTrait direction() const {
    return trait("direction", "direction", {"tail asked", "head asked"}, [&](std::size_t i) { return asks_head(i); });
  }

  QueryTrait relation() const {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(graph_.relations()));
    for (RelationId r = 0; r < graph_.relations(); ++r) names.emplace_back(graph_.relation_id(r));
    return trait("relation", "relation", std::move(names), [&](std::size_t i) { return relation_of(i); });
  }

  QueryTrait cardinality() const {
    std::vector<std::string> names;
    for (int c = 0; c <= static_cast<int>(Cardinality::not_in_training); ++c) {
      for (const char* asked : {"tail", "head"})
        names.push_back(fmt::format("{}, {} asked", to_string(static_cast<Cardinality>(c)), asked));
    }
    const std::vector<Cardinality> of = relation_cardinalities(graph_);
    return trait("cardinality", "cardinality of the relation", std::move(names),
                 [&](std::size_t i) { return 2 * static_cast<std::size_t>(of[relation_of(i)]) + asks_head(i); });
  }

  QueryTrait degree(const char* by, const char* title, EntityId Triple::* end) const {
    std::vector<std::string> names;
    for (std::size_t bucket = 0; bucket <= degree_bucket(2 * graph_.triples(Split::train).size()); ++bucket)
      names.push_back(degree_bucket_name(bucket));
    return trait(by, title, std::move(names),
                 [&](std::size_t i) { return degree_bucket(adjacency_.degree(ranked_[i].triple.*end)); });
  }

  QueryTrait distance() const {
    std::vector<std::string> names;
    for (int d = 0; d <= static_cast<int>(PairDistance::unreachable); ++d)
      names.emplace_back(to_string(static_cast<PairDistance>(d)));
    return trait("distance", "distance of the pair in training", std::move(names),
                 [&](std::size_t i) { return static_cast<std::size_t>(distance_[i]); });
  }

  QueryTrait seen() const {
    return trait("answer_seen", "answer in training", {"seen", "unseen"},
                 [&](std::size_t i) { return std::size_t{adjacency_.degree(ranked_[i].triple.tail) == 0}; });
  }

  QueryTrait known_ends() const {
    const auto unseen = [&](EntityId e) { return std::size_t{adjacency_.degree(e) == 0}; };
    return trait("entities_seen", "entities in training",
                 {"both seen", "answer unseen", "given unseen", "both unseen"}, [&](std::size_t i) {
                   return unseen(ranked_[i].triple.tail) + 2 * unseen(ranked_[i].triple.head);
                 });
  }

  QueryTrait linked() const {
    return trait("pair_linked", "pair linked in training", {"linked", "not linked"}, [&](std::size_t i) {
      const auto edges = adjacency_.edges(ranked_[i].triple.head);
      const EntityId other = ranked_[i].triple.tail;
      return std::size_t{std::none_of(edges.begin(), edges.end(), [&](const Edge& e) { return e.neighbour == other; })};
    });
  }

 private:
  QueryTrait trait(const char* by, const char* title, std::vector<std::string> names,
                   const std::function<std::size_t(std::size_t)>& group) const {
    QueryTrait made{by, title, std::move(names), {}};
    for (std::size_t i = 0; i < ranked_.size(); ++i) made.of_query.push_back(group(i));
    return made;
  }
  std::vector<PairDistance> distances() const {
    std::vector<Triple> pairs;
    for (const RankedQuery& query : ranked_) pairs.push_back(query.triple);
    return PairDistances(graph_).of(pairs);
  }
  std::size_t asks_head(std::size_t i) const { return ranked_[i].triple.relation < graph_.relations() ? 0 : 1; }
  std::size_t relation_of(std::size_t i) const {
    return static_cast<std::size_t>(ranked_[i].triple.relation % graph_.relations());
  }

  std::span<const RankedQuery> ranked_;
  const Graph& graph_;
  Adjacency adjacency_;
  std::vector<PairDistance> distance_;
};

}  // namespace

std::size_t degree_bucket(std::size_t degree) { return static_cast<std::size_t>(std::bit_width(degree)); }

std::string degree_bucket_name(std::size_t bucket) {
  if (bucket < 2) return std::to_string(bucket);
  return fmt::format("{}-{}", std::size_t{1} << (bucket - 1), (std::size_t{1} << bucket) - 1);
}

std::vector<QueryTrait> query_traits(std::span<const RankedQuery> ranked, const Graph& graph) {
  const Traits traits(ranked, graph);
  return {traits.direction(),
          traits.relation(),
          traits.cardinality(),
          traits.degree("answer_degree", "degree of the answer", &Triple::tail),
          traits.degree("given_degree", "degree of the entity that is given", &Triple::head),
          traits.distance(),
          traits.seen(),
          traits.known_ends(),
          traits.linked()};
}

}  // namespace hasa
