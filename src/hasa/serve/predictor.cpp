#include "hasa/serve/predictor.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/shown_text.h"
#include "hasa/serve/indexed_answers.h"
#include "hasa/serve/question_block.h"
#include "hasa/serve/refusal.h"

namespace hasa {
namespace {

void check_given(const LiveState& state, const Given& given) {
  const auto* entity = std::get_if<EntityId>(&given);
  if (entity == nullptr) return;
  HASA_CHECK(*entity >= 0 && *entity < state.entities(), shape, "there is no entity {}: there are {}", *entity,
             state.entities());
  if (!state.is_alive(*entity)) refuse(Refusal::Reason::not_found, "the entity numbered {} was deleted", *entity);
}

void check_relation(const LiveState& state, RelationId relation) {
  HASA_CHECK(relation >= 0 && relation < state.graph().num_directed_relations(), shape,
             "there is no directed relation {}: there are {}", relation, state.graph().num_directed_relations());
}

/// Where the link is known from, if its given side is an entity.
std::optional<Known> known_link(const LiveState& state, const Given& head, RelationId relation, const Given& tail) {
  const auto *h = std::get_if<EntityId>(&head), *t = std::get_if<EntityId>(&tail);
  return h != nullptr && t != nullptr ? state.known(*h, relation, *t) : std::nullopt;
}

bool is_filtered(const Wanted& wanted) { return wanted.occurs_with_relation || wanted.among != nullptr; }

/// The entities that a question's filters leave, sorted.
std::vector<EntityId> allowed(const LiveState& state, const Question& question) {
  const RelationId from_answer = inverse(question.relation, state.graph().relations());
  std::vector<EntityId> entities;
  if (question.wanted.among == nullptr) {
    state.bearers(from_answer, entities);
    return entities;
  }
  for (const EntityId e : *question.wanted.among) {
    HASA_CHECK(e >= 0 && e < state.entities(), shape, "there is no entity {}: there are {}", e, state.entities());
    if (!question.wanted.occurs_with_relation || state.bears(e, from_answer)) entities.push_back(e);
  }
  return entities;
}

/// The answers to one question of a block: the best new ones, and among them the known where they are wanted.
std::vector<Answer> answers_of(const QuestionBlock& block, std::size_t number, const Question& question,
                               const std::vector<Scored>& best_new, const std::vector<EntityId>* only,
                               const Probabilities& probabilities) {
  struct Candidate : Scored {
    std::optional<Known> known;
  };
  std::vector<Candidate> candidates;
  for (const Scored& each : best_new) candidates.push_back({each, std::nullopt});
  if (!question.wanted.new_only) {
    const auto known = block.known(number);
    const auto scores = block.known_scores(number);
    for (std::size_t i = 0; i < known.size(); ++i) {
      const bool is_allowed = only == nullptr || std::binary_search(only->begin(), only->end(), known[i].entity);
      if (is_allowed && scores[i] == scores[i]) candidates.push_back({{known[i].entity, scores[i]}, known[i].known});
    }
  }
  const std::size_t count = std::min(candidates.size(), static_cast<std::size_t>(question.wanted.top));
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end());
  std::vector<Answer> answers;
  for (const Candidate& each : std::span(candidates).first(count))
    answers.push_back({each.entity, each.score, probabilities.of(each.score), each.known});
  return answers;
}

}  // namespace

std::vector<std::vector<Answer>> Predictor::answers(const LiveState& state, std::span<const Question> questions) const {
  const torch::NoGradGuard no_gradients;
  const auto calibration = run_.calibration();
  const ScoreTable table(run_, state);
  const torch::Tensor unused = table.unused();
  std::vector<Asked> asked;
  for (const Question& question : questions) {
    check_given(state, question.given);
    check_relation(state, question.relation);
    HASA_CHECK(question.wanted.top >= 0, config, "{} answers were asked for", question.wanted.top);
    asked.push_back({&question.given, question.relation});
  }
  if (auto by_index = indexed_answers(run_, state, questions)) return *std::move(by_index);
  std::vector<std::vector<Answer>> results;
  const std::size_t at_once = table.queries_at_once();
  for (std::size_t first = 0; first < questions.size(); first += at_once) {
    const auto part = questions.subspan(first, std::min(at_once, questions.size() - first));
    QuestionBlock block(table, state, std::span(asked).subspan(first, part.size()));
    block.leave_out_known(unused);
    // A filter takes from all scores, so it comes before the best of all.
    std::vector<std::vector<EntityId>> only(part.size());
    std::vector<std::vector<Scored>> filtered(part.size());
    std::int64_t depth = calibration ? Probabilities::kStandingAmong : 0;
    for (std::size_t q = 0; q < part.size(); ++q) {
      if (!is_filtered(part[q].wanted)) {
        depth = std::max(depth, part[q].wanted.top);
        continue;
      }
      only[q] = allowed(state, part[q]);
      filtered[q] = block.best_among(q, only[q], part[q].wanted.top);
    }
    const std::vector<std::vector<Scored>> best = block.best(depth);
    for (std::size_t q = 0; q < part.size(); ++q) {
      const bool filter = is_filtered(part[q].wanted);
      results.push_back(answers_of(block, q, part[q], filter ? filtered[q] : best[q], filter ? &only[q] : nullptr,
                                   Probabilities(calibration.get(), part[q].relation, best[q])));
    }
  }
  return results;
}

std::vector<Judgement> Predictor::judgements(const LiveState& state, std::span<const Statement> statements) const {
  const torch::NoGradGuard no_gradients;
  const auto calibration = run_.calibration();
  const ScoreTable table(run_, state);
  const torch::Tensor unused = table.unused();
  std::vector<Asked> asked;
  std::vector<const Given*> tails;
  for (const Statement& statement : statements) {
    check_given(state, statement.head);
    check_given(state, statement.tail);
    check_relation(state, statement.relation);
    asked.push_back({&statement.head, statement.relation});
    tails.push_back(&statement.tail);
  }
  std::vector<Judgement> results;
  const std::size_t at_once = table.queries_at_once();
  for (std::size_t first = 0; first < statements.size(); first += at_once) {
    const auto part = std::span<const Asked>(asked).subspan(first, std::min(at_once, asked.size() - first));
    const torch::Tensor scores = table.scores_of(part, std::span(tails).subspan(first, part.size())).cpu().contiguous();
    std::vector<std::vector<Scored>> best(part.size());
    if (calibration) {
      QuestionBlock block(table, state, part);
      block.leave_out_known(unused);
      best = block.best(Probabilities::kStandingAmong);
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Statement& of = statements[first + i];
      const float score = scores.const_data_ptr<float>()[i];
      results.push_back({score, Probabilities(calibration.get(), of.relation, best[i]).of(score),
                         known_link(state, of.head, of.relation, of.tail)});
    }
  }
  return results;
}

std::vector<std::vector<RelationAnswer>> Predictor::relations(const LiveState& state,
                                                              std::span<const RelationQuestion> questions) const {
  const RelationId relations = state.graph().relations();
  const ScoreTable table(run_, state);
  std::vector<std::vector<RelationAnswer>> results;
  for (const RelationQuestion& question : questions) {
    const torch::NoGradGuard no_gradients;
    check_given(state, question.head);
    check_given(state, question.tail);
    std::vector<Asked> asked;
    for (RelationId r = 0; r < relations; ++r) asked.push_back({&question.head, r});
    const std::vector<const Given*> tails(asked.size(), &question.tail);
    const torch::Tensor scores = table.scores_of(asked, tails).cpu().contiguous();
    const auto* score = scores.const_data_ptr<float>();
    std::vector<RelationAnswer> answers;
    for (RelationId r = 0; r < relations; ++r) {
      const auto known = known_link(state, question.head, r, question.tail);
      if (!question.new_only || !known) answers.push_back({r, score[r], std::nullopt, known});
    }
    std::stable_sort(answers.begin(), answers.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    answers.resize(std::min(answers.size(), static_cast<std::size_t>(question.top)));
    if (run_.calibration() != nullptr) {
      std::vector<Statement> statements;
      for (const RelationAnswer& answer : answers)
        statements.push_back({question.head, answer.relation, question.tail});
      const std::vector<Judgement> judged = judgements(state, statements);
      for (std::size_t i = 0; i < answers.size(); ++i) answers[i].probability = judged[i].probability;
    }
    results.push_back(std::move(answers));
  }
  return results;
}

Standing Predictor::standing(const LiveState& state, EntityId head, RelationId relation, EntityId tail) const {
  const torch::NoGradGuard no_gradients;
  const Given given = head, asked_for = tail;
  check_given(state, given);
  check_given(state, asked_for);
  check_relation(state, relation);
  const auto calibration = run_.calibration();
  const ScoreTable table(run_, state);
  const Asked asked{&given, relation};
  QuestionBlock block(table, state, {&asked, 1});
  const float score = block.score_of(0, tail);
  block.leave_out_known(table.unused());
  const std::int64_t above = block.count_above(0, score);
  const std::int64_t left = block.count_left(0);
  const bool is_left = block.score_of(0, tail) == score;
  const auto best = block.best(Probabilities::kStandingAmong);
  return {{tail, score, Probabilities(calibration.get(), relation, best[0]).of(score),
           state.known(head, relation, tail)},
          1 + above,
          left + (is_left ? 0 : 1)};
}

}  // namespace hasa
