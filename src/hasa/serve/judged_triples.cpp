#include "hasa/serve/judged_triples.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/serve/question_block.h"

namespace hasa {
namespace {

/// A triple's tail as an answer to the triple's question.
struct JudgedTail {
  float score;
  std::optional<double> probability;
  std::int64_t rank;
};

/// Of directed triples.
std::vector<JudgedTail> judged_tails(const ServedRun& run, const LiveState& state, std::span<const Triple> triples) {
  const auto calibration = run.calibration();
  const ScoreTable table(run, state);
  const torch::Tensor unused = table.unused();
  std::vector<JudgedTail> results;
  for (const std::size_t at_once = table.queries_at_once(); !triples.empty();) {
    const auto part = triples.first(std::min(at_once, triples.size()));
    triples = triples.subspan(part.size());
    std::vector<Given> heads;
    for (const Triple& triple : part) heads.emplace_back(triple.head);
    std::vector<Asked> asked;
    for (std::size_t i = 0; i < part.size(); ++i) asked.push_back({&heads[i], part[i].relation});
    QuestionBlock block(table, state, asked);
    const std::size_t first = results.size();
    for (std::size_t i = 0; i < part.size(); ++i) results.push_back({block.score_of(i, part[i].tail), {}, 0});
    block.leave_out_known(unused);
    for (std::size_t i = 0; i < part.size(); ++i)
      results[first + i].rank = 1 + block.count_above(i, results[first + i].score);
    if (calibration == nullptr) continue;
    const auto best = block.best(Probabilities::kStandingAmong);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Probabilities probabilities(calibration.get(), part[i].relation, best[i]);
      results[first + i].probability = probabilities.of(results[first + i].score);
    }
  }
  return results;
}

}  // namespace

std::vector<JudgedTriple> judged(const ServedRun& run, const LiveState& state, std::span<const Triple> triples) {
  const torch::NoGradGuard no_gradients;
  const RelationId relations = state.graph().relations();
  for (const Triple& t : triples) {
    const bool there = t.relation >= 0 && t.relation < relations && t.head >= 0 && t.head < state.entities() &&
                       t.tail >= 0 && t.tail < state.entities();
    HASA_CHECK(there && state.is_alive(t.head) && state.is_alive(t.tail), shape,
               "there is no triple of entities {} and {} and relation {}", t.head, t.tail, t.relation);
  }
  std::vector<Triple> inverses;
  for (const Triple& triple : triples) inverses.push_back(inverse(triple, relations));
  const std::vector<JudgedTail> tails = judged_tails(run, state, triples), heads = judged_tails(run, state, inverses);
  std::vector<JudgedTriple> results;
  for (std::size_t i = 0; i < triples.size(); ++i) {
    const Triple& t = triples[i];
    results.push_back({t, tails[i].score, tails[i].probability, state.known(t.head, t.relation, t.tail), tails[i].rank,
                       heads[i].rank});
  }
  return results;
}

}  // namespace hasa
