#include "hasa/serve/predictor.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace hasa {

Predictor::Predictor(const Graph& graph, std::unique_ptr<Scorer> scorer) : graph_(graph), scorer_(std::move(scorer)) {
  for (const Split split : kSplits) known_.emplace_back(graph, std::array{split});
  has_loop_.resize(static_cast<std::size_t>(graph.relations()), false);
  for (const Triple& t : graph.triples(Split::train)) {
    if (t.head == t.tail) has_loop_[static_cast<std::size_t>(t.relation)] = true;
  }
}

std::vector<Answer> Predictor::answers(EntityId head, RelationId relation, std::int64_t count) const {
  const torch::NoGradGuard no_grad;
  const auto id = torch::TensorOptions(scorer_->device()).dtype(torch::kInt64);
  const torch::Tensor query = scorer_->queries(torch::full({1}, head, id), torch::full({1}, relation, id));
  const torch::Tensor scores = torch::mv(scorer_->entities(), query[0]).cpu();
  const auto* score = scores.const_data_ptr<float>();

  std::vector<EntityId> order(static_cast<std::size_t>(graph_.entities()));
  std::iota(order.begin(), order.end(), 0);
  if (!has_loop_[static_cast<std::size_t>(relation % graph_.relations())]) order.erase(order.begin() + head);
  const auto wanted = order.begin() + std::min<std::int64_t>(count, std::ssize(order));
  std::partial_sort(order.begin(), wanted, order.end(),
                    [&](EntityId a, EntityId b) { return score[a] != score[b] ? score[a] > score[b] : a < b; });

  std::vector<Answer> answers;
  for (auto entity = order.begin(); entity != wanted; ++entity) {
    Answer answer{*entity, score[*entity], std::nullopt};
    for (const Split split : kSplits) {
      if (!known_[static_cast<std::size_t>(split)].contains(head, relation, *entity)) continue;
      answer.known = split;
      break;
    }
    answers.push_back(answer);
  }
  return answers;
}

}  // namespace hasa
