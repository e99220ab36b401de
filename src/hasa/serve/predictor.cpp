#include "hasa/serve/predictor.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace hasa {
namespace {

/// What the graph itself says about a question.
struct KnownLinks {
  std::unordered_map<EntityId, Split> answers;  // with the first split that has each
  bool has_loop = false;                        // training has an entity that bears the relation to itself
};

/// One pass over the triples, twelve bytes each: scoring all entities reads far more, and an index over the whole
/// graph takes longer to build than many questions take to answer.
KnownLinks known_links(const Graph& graph, EntityId head, RelationId directed) {
  const bool inverted = directed >= graph.relations();
  const RelationId relation = directed % graph.relations();
  KnownLinks known;
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

Predictor::Predictor(const Graph& graph, std::unique_ptr<Scorer> scorer) : graph_(graph), scorer_(std::move(scorer)) {}

std::vector<Answer> Predictor::answers(EntityId head, RelationId relation, std::int64_t count) const {
  const torch::NoGradGuard no_grad;
  const auto id = torch::TensorOptions(scorer_->device()).dtype(torch::kInt64);
  const torch::Tensor query = scorer_->queries(torch::full({1}, head, id), torch::full({1}, relation, id));
  const torch::Tensor scores = scorer_->scores(query)[0].cpu();
  const auto* score = scores.const_data_ptr<float>();

  const KnownLinks known = known_links(graph_, head, relation);

  std::vector<EntityId> order(static_cast<std::size_t>(graph_.entities()));
  std::iota(order.begin(), order.end(), 0);
  if (!known.has_loop) order.erase(order.begin() + head);
  const auto wanted = order.begin() + std::min<std::int64_t>(count, std::ssize(order));
  std::partial_sort(order.begin(), wanted, order.end(),
                    [&](EntityId a, EntityId b) { return score[a] != score[b] ? score[a] > score[b] : a < b; });

  std::vector<Answer> answers;
  for (auto entity = order.begin(); entity != wanted; ++entity) {
    const auto link = known.answers.find(*entity);
    answers.push_back(
        {*entity, score[*entity], link == known.answers.end() ? std::nullopt : std::optional(link->second)});
  }
  return answers;
}

}  // namespace hasa
