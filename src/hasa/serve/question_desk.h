#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "hasa/http/responder.h"
#include "hasa/serve/front/batcher.h"
#include "hasa/serve/front/metrics.h"
#include "hasa/serve/front/requests.h"
#include "hasa/serve/predictor.h"

namespace hasa {

/// A request that asks the model: POST /v1/predict or /v1/score.
struct AskJob {
  std::variant<PredictRequest, TriplesRequest> request;
  HttpResponder responder;
  std::chrono::steady_clock::time_point deadline;  // its client is gone by then
};

struct QuestionLimits {
  std::size_t together = 256;      // questions that are scored at once
  std::size_t tokens = 8192;       // of new texts that are read at once
  std::size_t waiting = 4096;      // questions in each lane before clients are told to come back
  std::int64_t answers = 200'000;  // of one request: its questions times what each asks for
};

/// Answers questions that arrive together together. They wait in lanes, each with a thread of its own, so that a short
/// question never waits for a thousand others or for the language model: "known" for few questions about known
/// entities, "many" for longer lists of them, "texts" for those with new texts, which are measured in tokens.
class QuestionDesk {
 public:
  /// Both must outlive it.
  QuestionDesk(const Predictor& predictor, ServeMetrics& metrics, QuestionLimits limits);

  /// Answers it now or later; at once where it is too much (429, 413).
  void take(AskJob job);
  /// Questions that wait, those with new texts aside.
  std::size_t waiting() const { return known_.waiting() + many_.waiting(); }
  /// Tokens of texts that wait.
  std::size_t tokens_waiting() const { return texts_.waiting(); }

 private:
  std::size_t tokens_of(const AskJob& job) const;
  void work(std::string_view lane, std::vector<AskJob> jobs) const;

  const Predictor& predictor_;
  ServeMetrics& metrics_;
  const QuestionLimits limits_;
  Batcher<AskJob> known_, many_, texts_;  // last: their threads use all of the above
};

}  // namespace hasa
