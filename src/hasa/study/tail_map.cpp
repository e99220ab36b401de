#include "hasa/study/tail_map.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"
#include "hasa/base/shown_text.h"
#include "hasa/study/silhouette.h"

namespace hasa {
namespace {

constexpr std::string_view kReverse = "reverse of ";
constexpr std::int64_t kRelabellings = 199;
constexpr std::size_t kNeighbours = 10;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

EntityId entity_called(const std::string& words, const Graph& graph) {
  if (const auto entity = graph.find_entity(words)) return *entity;
  const std::vector<EntityId> named = graph.entities_named(words);
  HASA_CHECK(!named.empty(), data, "the graph has no entity {}", shown(words));
  HASA_CHECK(named.size() == 1, data, "{} entities are called {}: name one by its id, such as {}", named.size(),
             shown(words), graph.entity_id(named.front()));
  return named.front();
}

RelationId relation_called(const std::string& words, const Graph& graph) {
  const bool is_reverse = words.starts_with(kReverse);
  const std::string name = is_reverse ? words.substr(kReverse.size()) : words;
  std::optional<RelationId> relation = graph.find_relation(name);
  if (!relation) {
    const std::vector<RelationId> named = graph.relations_named(name);
    HASA_CHECK(named.size() == 1, data, "{} relations of the graph are called {}", named.size(), shown(name));
    relation = named.front();
  }
  return is_reverse ? inverse(*relation, graph.relations()) : *relation;
}

template <class T>
void draw_at_most(std::vector<T>& values, std::size_t most, Rng& rng) {
  if (values.size() <= most) return;
  rng.shuffle(values);
  values.resize(most);
  std::ranges::sort(values);
}

std::vector<double> roots(std::vector<double> squared) {
  for (double& value : squared) value = std::sqrt(value);
  return squared;
}

Separation separation_of(const Silhouette& found) { return {found.mean, found.of_groups[0], found.of_groups[1]}; }

}  // namespace

Query parse_query(const std::string& words, const Graph& graph) {
  const std::size_t bar = words.find('|');
  HASA_CHECK(bar != std::string::npos, config,
             "the query \"{}\" is not ENTITY | RELATION, such as \"08524735 | reverse of instance hypernym\"", words);
  return {entity_called(trimmed(words.substr(0, bar)), graph), relation_called(trimmed(words.substr(bar + 1)), graph)};
}

std::vector<Query> most_answered(const Graph& graph, const KnownAnswers& known, std::size_t count) {
  std::vector<std::pair<std::size_t, Query>> best;  // of each directed relation
  for (RelationId relation = 0; relation < graph.num_directed_relations(); ++relation) {
    std::pair<std::size_t, Query> most{0, {0, relation}};
    for (EntityId entity = 0; entity < graph.entities(); ++entity) {
      const std::size_t answers = known.tails(entity, relation).size();
      if (answers > most.first) most = {answers, {entity, relation}};
    }
    if (most.first >= 2) best.push_back(most);
  }
  std::ranges::stable_sort(best, std::ranges::greater{}, [](const auto& each) { return each.first; });
  std::vector<Query> queries;
  for (const auto& each : best) {
    if (queries.size() < count) queries.push_back(each.second);
  }
  return queries;
}

QueryTails draw_tails(const Graph& graph, const KnownAnswers& known, const Query& query, std::size_t least,
                      std::size_t most, std::uint64_t seed) {
  const auto answers = known.tails(query.given, query.relation);
  HASA_CHECK(answers.size() >= 2, data, "{} has {} known answer{} to {}: nothing can cluster",
             shown(std::string(graph.entity_name(query.given))), answers.size(), answers.size() == 1 ? "" : "s",
             graph.relation_text(query.relation));
  Rng rng(seed, "tails");
  QueryTails tails{{answers.begin(), answers.end()}, {}};
  draw_at_most(tails.positive, most, rng);
  std::vector<EntityId> others;
  for (EntityId entity = 0; entity < graph.entities(); ++entity) {
    if (entity != query.given && !std::ranges::binary_search(answers, entity)) others.push_back(entity);
  }
  draw_at_most(others, std::min(most, std::max(least, tails.positive.size())), rng);
  HASA_CHECK(!others.empty(), data, "every entity answers {}: there are no negatives",
             graph.relation_text(query.relation));
  tails.negative = std::move(others);
  return tails;
}

TailMap map_tails(const PointSet& points, const PointSet* before, std::size_t positive, const TsneConfig& config) {
  std::vector<std::size_t> groups(points.count, 1);
  std::fill_n(groups.begin(), positive, 0);
  const std::vector<double> distances = roots(squared_distances(points));
  const Silhouette embedded = silhouette(distances, groups);
  const TsneResult drawn = tsne(points, config);
  TailMap map;
  map.embedded = separation_of(embedded);
  map.drawn = separation_of(silhouette(roots(squared_distances(drawn.places)), groups));
  if (before != nullptr) map.before_training = separation_of(silhouette(roots(squared_distances(*before)), groups));
  map.p_value = separation_p_value(distances, groups, kRelabellings, config.seed);
  map.neighbours_kept = points.count > kNeighbours ? neighbours_kept(points, drawn.places, kNeighbours) : 1;
  map.objective_before = drawn.objective.front().second;
  map.objective_after = drawn.objective.back().second;
  for (std::size_t i = 0; i < points.count; ++i)
    map.points.push_back({"", i < positive, drawn.places[i], embedded.of_points[i]});
  return map;
}

}  // namespace hasa
