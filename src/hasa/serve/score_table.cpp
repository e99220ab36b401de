#include "hasa/serve/score_table.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "hasa/base/error.h"
#include "hasa/ops/score/full_scores.h"

namespace hasa {
namespace {

constexpr std::int64_t kWorkspace = std::int64_t{64} << 20;

torch::Tensor places_tensor(const std::vector<std::int64_t>& places, const torch::Device& device) {
  return torch::tensor(places, torch::kInt64).to(device);
}

/// Rows of two kinds in the order of the places of each.
torch::Tensor woven(const torch::Tensor& a, const std::vector<std::int64_t>& places_a, const torch::Tensor& b,
                    const std::vector<std::int64_t>& places_b) {
  if (places_b.empty()) return a;
  if (places_a.empty()) return b;
  torch::Tensor rows = torch::empty({a.size(0) + b.size(0), a.size(1)}, a.options());
  rows.index_copy_(0, places_tensor(places_a, a.device()), a);
  rows.index_copy_(0, places_tensor(places_b, a.device()), b);
  return rows;
}

}  // namespace

std::int64_t ScoreTable::column_of(EntityId entity) const {
  if (!state_.is_alive(entity)) return -1;
  const std::int64_t row = state_.row_of(entity);
  if (row >= 0) return run_.scorer().num_entities() + row;
  return entity < state_.graph().entities() && !state_.is_live(entity) ? entity : -1;
}

EntityId ScoreTable::entity_at(std::int64_t column) const {
  const std::int64_t trained = run_.scorer().num_entities();
  return column < trained ? static_cast<EntityId>(column) : state_.owners()[static_cast<std::size_t>(column - trained)];
}

torch::Tensor ScoreTable::unused() const {
  const std::int64_t trained = run_.scorer().num_entities();
  std::vector<std::int64_t> columns(state_.hidden().begin(), state_.hidden().end());
  for (std::size_t row = 0; row < state_.owners().size(); ++row) {
    if (state_.owners()[row] < 0) columns.push_back(trained + static_cast<std::int64_t>(row));
  }
  return torch::tensor(columns, torch::kInt64);
}

std::size_t ScoreTable::queries_at_once() const {
  const ScoringCost cost = run_.scorer().cost();
  const std::int64_t fit = kWorkspace / (4 * columns() + cost.bytes_per_query);
  return static_cast<std::size_t>(std::max<std::int64_t>(1, fit / cost.block) * cost.block);
}

bool ScoreTable::is_trained(const Given& given) const {
  const auto* entity = std::get_if<EntityId>(&given);
  return entity != nullptr && !state_.is_live(*entity);
}

torch::Tensor ScoreTable::query_vectors(std::span<const Asked> asked) const {
  std::vector<Query> trained;
  std::vector<UnseenQuery> others;
  std::deque<UnseenEntity> texts;  // of entities that changes gave theirs
  std::vector<std::int64_t> trained_places, other_places;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Given& given = *asked[i].given;
    if (is_trained(given)) {
      trained.push_back({std::get<EntityId>(given), asked[i].relation});
      trained_places.push_back(static_cast<std::int64_t>(i));
      continue;
    }
    other_places.push_back(static_cast<std::int64_t>(i));
    if (const auto* unseen = std::get_if<UnseenEntity>(&given)) {
      others.push_back({unseen, asked[i].relation, {}});
    } else {
      const EntityId entity = std::get<EntityId>(given);
      const std::int64_t row = state_.row_of(entity);
      texts.push_back(state_.as_unseen(entity));
      others.push_back({&texts.back(), asked[i].relation, row < 0 ? torch::Tensor() : state_.vectors()[row]});
    }
  }
  torch::Tensor of_trained, of_others;
  if (!trained.empty()) of_trained = run_.vectors()->query_vectors(trained);
  if (!others.empty()) of_others = run_.reader().query_vectors(others);
  return woven(of_trained, trained_places, of_others, other_places);
}

torch::Tensor ScoreTable::vectors(std::span<const Given* const> entities) const {
  std::vector<std::int64_t> trained, trained_places, rows, row_places, text_of, text_places;
  std::vector<UnseenEntity> texts;
  std::unordered_map<const Given*, std::int64_t> read;  // one that is asked about many times is read once
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const auto* entity = std::get_if<EntityId>(entities[i]);
    if (entity == nullptr) {
      const auto [text, is_first] = read.try_emplace(entities[i], std::ssize(texts));
      if (is_first) texts.push_back(std::get<UnseenEntity>(*entities[i]));
      text_of.push_back(text->second);
      text_places.push_back(place);
    } else if (state_.row_of(*entity) >= 0) {
      rows.push_back(state_.row_of(*entity));
      row_places.push_back(place);
    } else {
      trained.push_back(*entity);
      trained_places.push_back(place);
    }
  }
  const torch::Tensor& all = run_.vectors()->entities();
  torch::Tensor vectors = torch::empty({std::ssize(entities), all.size(1)}, all.options());
  const auto put = [&](const std::vector<std::int64_t>& places, const torch::Tensor& from,
                       const std::vector<std::int64_t>& chosen) {
    vectors.index_copy_(0, places_tensor(places, all.device()),
                        from.index_select(0, places_tensor(chosen, all.device())));
  };
  if (!trained.empty()) put(trained_places, all, trained);
  if (!rows.empty()) put(row_places, state_.vectors(), rows);
  if (!texts.empty()) put(text_places, run_.reader().entity_vectors(texts), text_of);
  return vectors;
}

torch::Tensor ScoreTable::scores(std::span<const Asked> asked) const {
  const VectorScorer* scorer = run_.vectors();
  if (scorer == nullptr) {
    const bool all_trained =
        std::all_of(asked.begin(), asked.end(), [&](const Asked& each) { return is_trained(*each.given); });
    if (!all_trained) run_.reader();  // says that no text is read
    std::vector<Query> queries;
    for (const Asked& each : asked) queries.push_back({std::get<EntityId>(*each.given), each.relation});
    return run_.scorer().scores(queries);
  }
  const torch::Tensor queries = query_vectors(asked);
  const torch::Tensor of_trained = run_.scores_from(queries);
  if (state_.owners().empty()) return of_trained;
  return torch::cat({of_trained, full_scores(queries, state_.vectors(), scorer->similarity())}, 1);
}

torch::Tensor ScoreTable::scores_of(std::span<const Asked> asked, std::span<const Given* const> candidates) const {
  const auto is_known = [&](const Given* given) { return is_trained(*given); };
  const bool all_trained =
      std::all_of(asked.begin(), asked.end(), [&](const Asked& each) { return is_known(each.given); }) &&
      std::all_of(candidates.begin(), candidates.end(), is_known);
  if (!all_trained) {
    run_.reader();  // says so where no text is read; what reads texts compares by the dot product
    return (query_vectors(asked) * vectors(candidates)).sum(-1);
  }
  std::vector<Query> queries;
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    queries.push_back({std::get<EntityId>(*asked[i].given), asked[i].relation});
    chosen.push_back(std::get<EntityId>(*candidates[i]));
  }
  return run_.scorer().scores_of(queries, places_tensor(chosen, run_.device()).unsqueeze(1)).squeeze(1);
}

}  // namespace hasa
