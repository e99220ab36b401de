#include "hasa/serve/question_block.h"

#include <algorithm>
#include <limits>

#include "hasa/ops/score/top_scores.h"

namespace hasa {
namespace {

constexpr float kNoScore = std::numeric_limits<float>::quiet_NaN();

torch::Tensor cells_tensor(const std::vector<std::int64_t>& cells, const torch::Device& device) {
  return torch::tensor(cells, torch::kInt64).to(device);
}

/// What top_scores found, by entity: entity_of(column).
template <class EntityOf>
std::vector<std::vector<Scored>> by_entity(const TopScores& top, const EntityOf& entity_of) {
  const torch::Tensor ids = top.ids.cpu(), scores = top.scores.cpu();
  const auto* id = ids.const_data_ptr<std::int64_t>();
  const auto* score = scores.const_data_ptr<float>();
  std::vector<std::vector<Scored>> best(static_cast<std::size_t>(ids.size(0)));
  for (std::vector<Scored>& row : best) {
    for (std::int64_t i = 0; i < ids.size(1) && id[i] >= 0; ++i) row.push_back({entity_of(id[i]), score[i]});
    std::sort(row.begin(), row.end());
    id += ids.size(1);
    score += ids.size(1);
  }
  return best;
}

}  // namespace

QuestionBlock::QuestionBlock(const ScoreTable& table, const LiveState& state, std::span<const Asked> asked)
    : table_(table), state_(state), asked_(asked), scores_(table.scores(asked).contiguous()), known_(asked.size()) {
  for (std::size_t q = 0; q < asked_.size(); ++q) {
    known_from_.push_back(known_cells_.size());
    const auto* given = std::get_if<EntityId>(asked_[q].given);
    if (given == nullptr) continue;
    state_.known_answers(*given, asked_[q].relation, known_[q]);
    std::erase_if(known_[q], [&](const KnownAnswer& answer) { return table_.column_of(answer.entity) < 0; });
    for (const KnownAnswer& answer : known_[q]) known_cells_.push_back(cell(q, table_.column_of(answer.entity)));
  }
  if (known_cells_.empty()) return;
  const torch::Tensor scores = scores_.view(-1).index_select(0, cells_tensor(known_cells_, scores_.device())).cpu();
  known_scores_.assign(scores.const_data_ptr<float>(), scores.const_data_ptr<float>() + scores.numel());
}

void QuestionBlock::leave_out_known(const torch::Tensor& unused) {
  std::vector<std::int64_t> cells = known_cells_;
  for (std::size_t q = 0; q < asked_.size(); ++q) {
    const auto* given = std::get_if<EntityId>(asked_[q].given);
    if (given == nullptr || state_.known_links().has_loop(asked_[q].relation)) continue;
    if (const std::int64_t column = table_.column_of(*given); column >= 0) cells.push_back(cell(q, column));
  }
  if (!cells.empty()) scores_.view(-1).index_fill_(0, cells_tensor(cells, scores_.device()), kNoScore);
  if (unused.numel() > 0) scores_.index_fill_(1, unused.to(scores_.device()), kNoScore);
}

std::vector<Scored> QuestionBlock::best_among(std::size_t question, std::span<const EntityId> entities,
                                              std::int64_t k) const {
  std::vector<std::int64_t> columns;
  for (const EntityId e : entities) {
    if (const std::int64_t column = table_.column_of(e); column >= 0) columns.push_back(column);
  }
  const torch::Tensor row = scores_[static_cast<std::int64_t>(question)];
  const TopScores top = top_scores(row.index_select(0, cells_tensor(columns, row.device())).unsqueeze(0),
                                   std::min<std::int64_t>(k, std::ssize(columns)));
  return by_entity(top, [&](std::int64_t id) { return table_.entity_at(columns[static_cast<std::size_t>(id)]); })[0];
}

std::vector<std::vector<Scored>> QuestionBlock::best(std::int64_t k) {
  return by_entity(top_scores(scores_, std::min(k, table_.columns())),
                   [&](std::int64_t id) { return table_.entity_at(id); });
}

float QuestionBlock::score_of(std::size_t question, EntityId entity) const {
  const std::int64_t column = table_.column_of(entity);
  return column < 0 ? kNoScore : scores_[static_cast<std::int64_t>(question)][column].item<float>();
}

std::int64_t QuestionBlock::count_above(std::size_t question, float score) const {
  return scores_[static_cast<std::int64_t>(question)].gt(score).sum().item<std::int64_t>();
}

std::int64_t QuestionBlock::count_left(std::size_t question) const {
  return scores_[static_cast<std::int64_t>(question)].isnan().logical_not().sum().item<std::int64_t>();
}

Probabilities::Probabilities(const Calibration* calibration, RelationId relation, std::span<const Scored> best_new)
    : calibration_(calibration), relation_(relation) {
  if (calibration == nullptr) return;
  const auto among = static_cast<std::size_t>(kStandingAmong);
  for (const Scored& each : best_new.first(std::min(best_new.size(), among))) best_.push_back(each.score);
}

std::optional<double> Probabilities::of(float score) const {
  if (best_.empty()) return std::nullopt;
  return calibration_->probability(score, {.relation = relation_, .best = best_});
}

}  // namespace hasa
