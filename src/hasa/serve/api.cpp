#include "hasa/serve/api.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "hasa/base/shown_text.h"
#include "hasa/serve/front/problem.h"
#include "hasa/serve/name_resolver.h"
#include "hasa/serve/response_json.h"
#include "hasa/serve/run_description_json.h"

namespace hasa {

Api::Api(const ServedRun& run, ServeMetrics& metrics, ApiLimits limits)
    : run_(run),
      limits_(limits),
      predictor_(run),
      explainer_(run),
      relations_(relations_json(run.graph())),
      questions_(predictor_, metrics, limits.questions),
      changes_(run, metrics, limits.changes_waiting),
      reasons_({.batch = 1, .waiting = limits.reasons_waiting},
               [this](std::vector<ExplainJob> jobs) { explain_all(std::move(jobs)); }) {
  run.lookup().prepare();
  if (run.reads_text()) (void)run.reader();
  explainer_.prepare();
}

void Api::handle(const RouteMatch& match, const HttpRequest& request, HttpResponder& responder, Deadline deadline) {
  const RequestLimits& limits = limits_.requests;
  // A responder is moved only when nothing can throw any more: what throws is answered by the caller.
  switch (match.entry->route) {
    case Route::predict: {
      AskJob job{read_predict_request(request.body, limits), std::move(responder), deadline};
      return questions_.take(std::move(job));
    }
    case Route::score: {
      AskJob job{read_triples_request(request.body, Texts::allowed, limits), std::move(responder), deadline};
      return questions_.take(std::move(job));
    }
    case Route::explain: {
      ExplainJob job{read_explain_request(request.body, limits), std::move(responder), deadline};
      if (!reasons_.offer(job, 1)) {
        job.responder.send(to_response(ProblemKind::too_busy, "too many requests for reasons wait already"));
      }
      return;
    }
    case Route::run: return responder.send({.body = run_json(run_, *run_.state())});
    case Route::relations: return responder.send({.body = relations_});
    case Route::search_entities: return responder.send(search(request));
    case Route::get_entity: return responder.send(entity(match.argument, request));
    case Route::put_entity: {
      EntityText text = read_entity_text(request.body, limits);
      return changes_.put_entity(match.argument, std::move(text), std::move(responder));
    }
    case Route::delete_entity: return changes_.delete_entity(match.argument, std::move(responder));
    case Route::add_triples: {
      TriplesRequest triples = read_triples_request(request.body, Texts::refused, limits);
      return changes_.add_triples(std::move(triples), std::move(responder));
    }
    case Route::remove_triples: {
      TriplesRequest triples = read_triples_request(request.body, Texts::refused, limits);
      return changes_.remove_triples(std::move(triples), std::move(responder));
    }
    default: HASA_ASSERT(false);
  }
}

HttpResponse Api::search(const HttpRequest& request) const {
  const SearchRequest asked = read_search_request(request.query, limits_.requests, {});
  const auto state = run_.state();
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  for (const EntityId each : run_.lookup().search(*state, asked.words, static_cast<std::size_t>(asked.limit))) {
    found.push_back(brief_json(each, *state));
  }
  return json_response({{"entities", std::move(found)}});
}

HttpResponse Api::entity(const std::string& id, const HttpRequest& request) const {
  constexpr std::int64_t kFacts = 200;
  const SearchRequest asked = read_search_request(request.query, limits_.requests, {.words = "", .limit = kFacts});
  const auto state = run_.state();
  const auto found = state->find_entity(id);
  if (!found) {
    refuse(ProblemKind::not_found, "no entity has the id \"{}\"; GET /v1/entities?q= finds ids by names", shown(id));
  }
  return json_response(full_json(*found, *state, static_cast<std::size_t>(asked.limit)));
}

void Api::explain_all(std::vector<ExplainJob> jobs) const {
  for (ExplainJob& job : jobs) {
    if (std::chrono::steady_clock::now() > job.deadline) continue;  // it has been told by now
    explain(job, job.responder);
  }
}

void Api::explain(const ExplainJob& job, HttpResponder& responder) const {
  const auto state = run_.state();
  try {
    const NameResolver names(run_, *state);
    if (!job.request.question.relation) {
      refuse(ProblemKind::unanswerable, "reasons are for entities as answers; give the relation, and head or tail");
    }
    const auto question = std::get<Question>(names.question(job.request.question, Wanted{}));
    const EntityId answer = names.entity(job.request.answer, "answer");
    responder.send(json_response(to_json(explainer_.reasons(*state, question, answer), *state, question.relation)));
  } catch (...) {
    responder.send(response_to_exception(*state));
  }
}

}  // namespace hasa
