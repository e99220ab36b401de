#include "hasa/families/path/path_examples.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hasa {
namespace {

using Ends = std::pair<EntityId, EntityId>;

Ends ends_of(EntityId a, EntityId b) { return std::minmax(a, b); }

constexpr int kDraws = 64;  // before a negative is taken as it comes: a query may know nearly every entity

}  // namespace

PathExampleSource::PathExampleSource(const Graph& graph, const PathTrainingConfig& config)
    : graph_(graph), config_(config), known_(KnownAnswers::of_training(graph)) {
  for (EntityId head = 0; head < graph.entities(); ++head) {
    for (const RelationId relation : known_.relations_of(head)) queries_.push_back({head, relation});
  }
  const auto triples = graph.triples(Split::train);
  by_pair_.resize(triples.size());
  std::iota(by_pair_.begin(), by_pair_.end(), 0);
  std::stable_sort(by_pair_.begin(), by_pair_.end(), [&](std::int64_t a, std::int64_t b) {
    return ends_of(triples[a].head, triples[a].tail) < ends_of(triples[b].head, triples[b].tail);
  });
}

std::vector<std::int64_t> PathExampleSource::between(EntityId a, EntityId b) const {
  const auto triples = graph_.triples(Split::train);
  const Ends wanted = ends_of(a, b);
  const auto ends = [&](std::int64_t t) { return ends_of(triples[t].head, triples[t].tail); };
  const auto first = std::partition_point(by_pair_.begin(), by_pair_.end(), [&](auto t) { return ends(t) < wanted; });
  const auto last = std::partition_point(first, by_pair_.end(), [&](auto t) { return ends(t) == wanted; });
  return {first, last};
}

std::vector<std::int64_t> PathExampleSource::copies(const Triple& directed) const {
  const RelationId relations = graph_.relations();
  const Triple stored = directed.relation < relations ? directed : inverse(directed, relations);
  std::vector<std::int64_t> same = between(stored.head, stored.tail);
  std::erase_if(same, [&](std::int64_t t) { return graph_.triples(Split::train)[t] != stored; });
  return same;
}

void PathExampleSource::draw_answers(const Query& query, Rng& rng, std::vector<EntityId>& into) const {
  const auto known = known_.tails(query.given, query.relation);
  const std::size_t others = known.size() - 1;
  const std::size_t wanted = std::min<std::size_t>(static_cast<std::size_t>(config_.answers), 1 + others / 4);
  into.clear();
  // Floyd's draw without replacement: no copy of the answers, of which a hub has thousands.
  for (std::size_t i = known.size() - wanted; i < known.size(); ++i) {
    const EntityId drawn = known[rng.below(i + 1)];
    into.push_back(std::find(into.begin(), into.end(), drawn) == into.end() ? drawn : known[i]);
  }
}

EntityId PathExampleSource::draw_negative(std::span<const EntityId> known, Rng& rng) const {
  const auto bound = static_cast<std::uint64_t>(graph_.entities());
  auto drawn = static_cast<EntityId>(rng.below(bound));
  for (int i = 0; i < kDraws && std::binary_search(known.begin(), known.end(), drawn); ++i)
    drawn = static_cast<EntityId>(rng.below(bound));
  return drawn;
}

PathExamples PathExampleSource::draw(std::span<const std::int64_t> numbers, Rng& rng) const {
  PathExamples examples;
  std::vector<EntityId> answers;
  const auto hide = [&](const std::vector<std::int64_t>& triples) {
    examples.hidden.insert(examples.hidden.end(), triples.begin(), triples.end());
  };
  for (const std::int64_t number : numbers) {
    const Query query = queries_[static_cast<std::size_t>(number)];
    const auto place = static_cast<std::int64_t>(examples.queries.size());
    examples.queries.push_back(query);
    draw_answers(query, rng, answers);
    for (const EntityId answer : answers) {
      examples.query_of_answer.push_back(place);
      examples.answers.push_back(answer);
      hide(config_.hide == PathHiding::pair ? between(query.given, answer)
                                            : copies({query.given, query.relation, answer}));
    }
    for (std::int64_t i = 0; i < config_.negatives; ++i) {
      const EntityId negative = draw_negative(known_.tails(query.given, query.relation), rng);
      examples.negatives.push_back(negative);
      if (config_.hide == PathHiding::pair) hide(between(query.given, negative));
    }
  }
  std::sort(examples.hidden.begin(), examples.hidden.end());
  examples.hidden.erase(std::unique(examples.hidden.begin(), examples.hidden.end()), examples.hidden.end());
  return examples;
}

}  // namespace hasa
