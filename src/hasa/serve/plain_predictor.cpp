#include "hasa/serve/plain_predictor.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace hasa {
namespace {

/// What the graph itself says about a question.
struct PlainKnownLinks {
  std::unordered_map<EntityId, Split> answers;  // with the first split that has each
  bool has_loop = false;                        // training has an entity that bears the relation to itself

  std::optional<Split> split_of(EntityId entity) const {
    const auto link = answers.find(entity);
    return link == answers.end() ? std::nullopt : std::optional(link->second);
  }
};

/// One pass over the triples, twelve bytes each: scoring all entities reads far more, and an index over the whole
/// graph takes longer to build than many questions take to answer.
PlainKnownLinks known_links(const Graph& graph, EntityId head, RelationId directed) {
  const bool inverted = directed >= graph.relations();
  const RelationId relation = directed % graph.relations();
  PlainKnownLinks known;
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split)) {
      if (t.relation != relation) continue;
      if (split == Split::train && t.head == t.tail) known.has_loop = true;
      if ((inverted ? t.tail : t.head) == head) known.answers.try_emplace(inverted ? t.head : t.tail, split);
    }
  }
  return known;
}

}  // namespace

PlainPredictor::PlainPredictor(const Graph& graph, std::unique_ptr<Scorer> scorer) : graph_(graph), scorer_(std::move(scorer)) {}

torch::Tensor PlainPredictor::scores(EntityId head, RelationId relation) const {
  const torch::NoGradGuard no_grad;
  const std::array<Query, 1> query{Query{head, relation}};
  return scorer_->scores(query)[0].cpu();
}

std::vector<PlainAnswer> PlainPredictor::answers(EntityId head, RelationId relation, std::int64_t count) const {
  const torch::Tensor of_all = scores(head, relation);
  const auto* score = of_all.const_data_ptr<float>();
  const PlainKnownLinks known = known_links(graph_, head, relation);
  std::vector<EntityId> order(static_cast<std::size_t>(graph_.entities()));
  std::iota(order.begin(), order.end(), 0);
  if (!known.has_loop) order.erase(order.begin() + head);
  const auto wanted = order.begin() + std::min<std::int64_t>(count, std::ssize(order));
  std::partial_sort(order.begin(), wanted, order.end(),
                    [&](EntityId a, EntityId b) { return score[a] != score[b] ? score[a] > score[b] : a < b; });

  std::vector<PlainAnswer> answers;
  for (auto entity = order.begin(); entity != wanted; ++entity) {
    answers.push_back({*entity, score[*entity], known.split_of(*entity)});
  }
  return answers;
}

PlainStanding PlainPredictor::standing(EntityId head, RelationId relation, EntityId tail) const {
  const torch::Tensor of_all = scores(head, relation);
  const auto* score = of_all.const_data_ptr<float>();
  const PlainKnownLinks known = known_links(graph_, head, relation);
  PlainStanding standing{{tail, score[tail], known.split_of(tail)}, 1, 1};
  for (EntityId e = 0; e < graph_.entities(); ++e) {
    const bool is_candidate = (e != head || known.has_loop) && !known.answers.contains(e);
    if (e == tail || !is_candidate) continue;
    ++standing.candidates;
    if (score[e] > score[tail]) ++standing.rank;
  }
  return standing;
}

}  // namespace hasa
