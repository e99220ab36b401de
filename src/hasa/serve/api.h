#pragma once

#include <chrono>
#include <string>

#include "hasa/http/message.h"
#include "hasa/http/responder.h"
#include "hasa/serve/change_desk.h"
#include "hasa/serve/explain.h"
#include "hasa/serve/front/batcher.h"
#include "hasa/serve/front/metrics.h"
#include "hasa/serve/front/requests.h"
#include "hasa/serve/front/routes.h"
#include "hasa/serve/predictor.h"
#include "hasa/serve/question_desk.h"

namespace hasa {

struct ApiLimits {
  RequestLimits requests;
  QuestionLimits questions;
  std::size_t changes_waiting = 4096;
  std::size_t reasons_waiting = 64;  // requests for reasons
};

/// What is under /v1: answers requests with a run. Those that take more than a lookup are answered by threads of their
/// own. handle() is called by one thread.
class Api {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// Run and metrics must outlive it. Whatever would make the first question slow is done here: the language model is
  /// opened, names are indexed, rules are mined.
  Api(const ServedRun& run, ServeMetrics& metrics, ApiLimits limits);

  /// Throws Problem or Error for what is refused at once, and leaves the responder to the caller; otherwise it is
  /// taken, and answered now or later.
  void handle(const RouteMatch& match, const HttpRequest& request, HttpResponder& responder, Deadline deadline);

  const ServedRun& run() const { return run_; }
  std::size_t questions_waiting() const { return questions_.waiting(); }
  std::size_t tokens_waiting() const { return questions_.tokens_waiting(); }
  std::size_t changes_waiting() const { return changes_.waiting(); }

 private:
  struct ExplainJob {
    ExplainRequest request;
    HttpResponder responder;
    Deadline deadline;
  };

  HttpResponse search(const HttpRequest& request) const;
  HttpResponse entity(const std::string& id, const HttpRequest& request) const;
  void explain(const ExplainJob& job, HttpResponder& responder) const;
  void explain_all(std::vector<ExplainJob> jobs) const;

  const ServedRun& run_;
  const ApiLimits limits_;
  const Predictor predictor_;
  const Explainer explainer_;
  const std::string relations_;  // what does not change is written once
  QuestionDesk questions_;
  ChangeDesk changes_;
  Batcher<ExplainJob> reasons_;  // last: its thread uses the above
};

}  // namespace hasa
