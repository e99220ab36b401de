#include "hasa/serve/indexed_answers.h"

#include <algorithm>
#include <utility>

#include "hasa/serve/entity_index.h"
#include "hasa/serve/question_block.h"

namespace hasa {
namespace {

/// Of more answers an index is no quicker than looking at all entities.
constexpr std::int64_t kMostFound = 1000;

bool is_for_an_index(const LiveState& state, const Question& question) {
  const auto* given = std::get_if<EntityId>(&question.given);
  return given != nullptr && *given < state.graph().entities() && !question.wanted.occurs_with_relation &&
         question.wanted.among == nullptr;
}

/// How many must be found so that enough are left without the known and the entity itself.
std::int64_t depth_of(const LiveState& state, const Question& question) {
  std::vector<KnownAnswer> known;
  state.known_answers(std::get<EntityId>(question.given), question.relation, known);
  return std::max(question.wanted.top, Probabilities::kStandingAmong) + std::ssize(known) + 1;
}

struct Found : Scored {
  std::optional<Known> known;
};

/// Best first, by scores that the model itself gives, as those of an index may be rounded.
std::vector<Found> found_for(const LiveState& state, const Question& question, const torch::Tensor& entities,
                             const torch::Tensor& scores) {
  const EntityId given = std::get<EntityId>(question.given);
  const bool may_be_given = state.known_links().has_loop(question.relation);
  const auto* entity = entities.const_data_ptr<std::int64_t>();
  const auto* score = scores.const_data_ptr<float>();
  std::vector<Found> found;
  for (std::int64_t i = 0; i < entities.numel(); ++i) {
    const auto e = static_cast<EntityId>(entity[i]);
    if (e < 0) continue;
    const auto known = state.known(given, question.relation, e);
    if (known || e != given || may_be_given) found.push_back({{e, score[i]}, known});
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Answer> answers_from(const std::vector<Found>& found, const Question& question,
                                 const Calibration* calibration) {
  std::vector<Scored> best_new;
  for (const Found& each : found) {
    if (!each.known) best_new.push_back(each);
  }
  const Probabilities probabilities(calibration, question.relation, best_new);
  std::vector<Answer> answers;
  for (const Found& each : found) {
    if (std::ssize(answers) == question.wanted.top) break;
    if (!each.known || !question.wanted.new_only)
      answers.push_back({each.entity, each.score, probabilities.of(each.score), each.known});
  }
  return answers;
}

}  // namespace

std::optional<std::vector<std::vector<Answer>>> indexed_answers(const ServedRun& run, const LiveState& state,
                                                                std::span<const Question> questions) {
  const EntityIndex* index = run.index();
  const bool as_trained = state.owners().empty() && state.hidden().empty();
  if (index == nullptr || run.vectors() == nullptr || !as_trained) return std::nullopt;
  std::int64_t depth = 0;
  std::vector<Query> queries;
  for (const Question& question : questions) {
    if (!is_for_an_index(state, question)) return std::nullopt;
    depth = std::max(depth, depth_of(state, question));
    queries.push_back({std::get<EntityId>(question.given), question.relation});
  }
  if (depth > kMostFound) return std::nullopt;
  std::vector<std::vector<Answer>> results;
  if (queries.empty()) return results;
  const torch::Tensor vectors = run.vectors()->query_vectors(queries).to(torch::kCPU);
  const torch::Tensor found = index->nearest(vectors, std::min(depth, index->size())).entities;
  const torch::Tensor scores =
      run.scorer().scores_of(queries, found.clamp_min(0).to(run.device())).to(torch::kCPU).contiguous();
  const auto calibration = run.calibration();
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const auto row = static_cast<std::int64_t>(q);
    results.push_back(
        answers_from(found_for(state, questions[q], found[row], scores[row]), questions[q], calibration.get()));
  }
  return results;
}

}  // namespace hasa
