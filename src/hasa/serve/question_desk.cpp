#include "hasa/serve/question_desk.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "hasa/base/stopwatch.h"
#include "hasa/serve/front/problem.h"
#include "hasa/serve/name_resolver.h"
#include "hasa/serve/response_json.h"

namespace hasa {
namespace {

constexpr std::size_t kFewQuestions = 16;
constexpr std::size_t kTokensOfAText = 32;  // on average, to bound how many may wait

std::size_t num_questions(const AskJob& job) {
  if (const auto* predict = std::get_if<PredictRequest>(&job.request)) return predict->questions.size();
  return std::get<TriplesRequest>(job.request).triples.size();
}

/// Calls visit(text) for each text of the job that nobody has seen before.
template <class Visit>
void for_each_text(const AskJob& job, const Visit& visit) {
  const auto of_all = [&](const auto& list) {
    for (const auto& each : list) {
      if (each.head.text) visit(*each.head.text);
      if (each.tail.text) visit(*each.tail.text);
    }
  };
  if (const auto* predict = std::get_if<PredictRequest>(&job.request)) return of_all(predict->questions);
  of_all(std::get<TriplesRequest>(job.request).triples);
}

/// Questions of all kinds of several requests, and what came of them.
struct AskedTogether {
  std::vector<Question> questions;
  std::vector<RelationQuestion> relations;
  std::vector<Statement> statements;
  std::vector<std::vector<Answer>> answers;
  std::vector<std::vector<RelationAnswer>> relation_answers;
  std::vector<Judgement> judgements;

  void ask(const Predictor& predictor, const LiveState& state) {
    if (!questions.empty()) answers = predictor.answers(state, questions);
    if (!relations.empty()) relation_answers = predictor.relations(state, relations);
    if (!statements.empty()) judgements = predictor.judgements(state, statements);
  }
};

/// A request with names resolved, whose questions stand among those of others.
class ResolvedJob {
 public:
  /// Throws Problem.
  ResolvedJob(AskJob& job, const NameResolver& names) : job_(job) {
    if (const auto* predict = std::get_if<PredictRequest>(&job.request)) {
      const Wanted wanted = names.wanted(*predict);
      for (const AskedQuestion& each : predict->questions) asked_.push_back(names.question(each, wanted));
    } else {
      for (const AskedTriple& each : std::get<TriplesRequest>(job.request).triples) {
        statements_.push_back(names.statement(each));
      }
    }
  }

  void join(AskedTogether& all) {
    places_.clear();
    first_statement_ = all.statements.size();
    all.statements.insert(all.statements.end(), statements_.begin(), statements_.end());
    for (const NameResolver::Asked& each : asked_) {
      if (const auto* question = std::get_if<Question>(&each)) {
        places_.push_back(all.questions.size());
        all.questions.push_back(*question);
      } else {
        places_.push_back(all.relations.size());
        all.relations.push_back(std::get<RelationQuestion>(each));
      }
    }
  }

  void respond(const AskedTogether& all, const LiveState& state) {
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const bool asks_entities = std::holds_alternative<Question>(asked_[i]);
      results.push_back({{"answers", asks_entities ? to_json(all.answers[places_[i]], state)
                                                   : to_json(all.relation_answers[places_[i]], state)}});
    }
    for (std::size_t i = 0; i < statements_.size(); ++i)
      results.push_back(to_json(all.judgements[first_statement_ + i]));
    const bool is_list = std::visit([](const auto& request) { return request.is_list; }, job_.request);
    job_.responder.send(json_response(is_list ? nlohmann::ordered_json{{"results", std::move(results)}} : results[0]));
  }

  void refuse_it(const LiveState& state) { job_.responder.send(response_to_exception(state)); }

 private:
  AskJob& job_;
  std::vector<NameResolver::Asked> asked_;
  std::vector<Statement> statements_;
  std::vector<std::size_t> places_;  // of each question among those of its kind
  std::size_t first_statement_ = 0;
};

/// Together; where that fails, each by itself, so that none fails for another's sake.
void answer(const Predictor& predictor, const LiveState& state, std::span<ResolvedJob> jobs) {
  try {
    AskedTogether all;
    for (ResolvedJob& job : jobs) job.join(all);
    all.ask(predictor, state);
    for (ResolvedJob& job : jobs) job.respond(all, state);
  } catch (...) {
    if (jobs.size() == 1) return jobs.front().refuse_it(state);
    for (ResolvedJob& job : jobs) answer(predictor, state, {&job, 1});
  }
}

}  // namespace

QuestionDesk::QuestionDesk(const Predictor& predictor, ServeMetrics& metrics, QuestionLimits limits)
    : predictor_(predictor),
      metrics_(metrics),
      limits_(limits),
      known_({limits.together, limits.waiting}, [this](std::vector<AskJob> jobs) { work("known", std::move(jobs)); }),
      many_({limits.together, limits.waiting}, [this](std::vector<AskJob> jobs) { work("many", std::move(jobs)); }),
      texts_({limits.tokens, limits.waiting * kTokensOfAText},
             [this](std::vector<AskJob> jobs) { work("texts", std::move(jobs)); }) {}

std::size_t QuestionDesk::tokens_of(const AskJob& job) const {
  std::size_t tokens = 0;
  for_each_text(job, [&](const std::string& text) {
    // A run that reads no texts says so in its turn.
    tokens += predictor_.run().reads_text()
                  ? static_cast<std::size_t>(predictor_.run().reader().tokens(UnseenEntity::of_text(text)))
                  : 1;
  });
  return tokens;
}

void QuestionDesk::take(AskJob job) {
  const std::size_t questions = num_questions(job);
  const auto* predict = std::get_if<PredictRequest>(&job.request);
  if (predict != nullptr && static_cast<std::int64_t>(questions) * predict->top > limits_.answers) {
    return job.responder.send(to_response(
        ProblemKind::too_large, fmt::format("{} questions times top {} are more than {} answers; send them in parts",
                                            questions, predict->top, limits_.answers)));
  }
  const std::size_t tokens = tokens_of(job);
  Batcher<AskJob>& lane = tokens > 0 ? texts_ : questions > kFewQuestions ? many_ : known_;
  if (lane.offer(job, tokens > 0 ? tokens : questions)) return;
  job.responder.send(to_response(ProblemKind::too_busy, "too many questions wait already; come back a little later"));
}

void QuestionDesk::work(std::string_view lane, std::vector<AskJob> jobs) const {
  const Stopwatch watch;
  const auto state = predictor_.run().state();
  const NameResolver names(predictor_.run(), *state);
  std::vector<ResolvedJob> resolved;
  std::size_t questions = 0;
  for (AskJob& job : jobs) {
    if (std::chrono::steady_clock::now() > job.deadline) continue;  // it has been told by now
    try {
      resolved.emplace_back(job, names);
      questions += num_questions(job);
    } catch (...) {
      job.responder.send(response_to_exception(*state));
    }
  }
  if (resolved.empty()) return;
  answer(predictor_, *state, resolved);
  metrics_.count_batch(lane, questions, watch.seconds());
}

}  // namespace hasa
