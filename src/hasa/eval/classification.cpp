#include "hasa/eval/classification.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "hasa/base/rng.h"
#include "hasa/eval/ranking.h"
#include "hasa/negative/corruption.h"

namespace hasa {
namespace {

constexpr std::int64_t kWorkspace = std::int64_t{512} << 20;  // for scorers that score every entity to score one

std::vector<double> scores_of_answers(const Scorer& scorer, std::span<const Triple> directed) {
  const torch::NoGradGuard no_gradients;
  const std::size_t at_a_time = queries_within(scorer, kWorkspace);
  std::vector<double> scores;
  scores.reserve(directed.size());
  while (!directed.empty()) {
    const auto block = directed.first(std::min(at_a_time, directed.size()));
    directed = directed.subspan(block.size());
    std::vector<Query> queries;
    std::vector<std::int64_t> answers;
    for (const Triple& triple : block) {
      queries.push_back(query_of(triple));
      answers.push_back(triple.tail);
    }
    const torch::Tensor candidates = torch::tensor(answers, torch::kInt64).unsqueeze(1).to(scorer.device());
    const torch::Tensor of_block = scorer.scores_of(queries, candidates).to(torch::kFloat64).cpu().contiguous();
    const auto* values = of_block.const_data_ptr<double>();
    scores.insert(scores.end(), values, values + block.size());
  }
  return scores;
}

/// The midpoint, or beyond all at either end.
double threshold_between(std::optional<double> below, std::optional<double> above) {
  if (!below) return -std::numeric_limits<double>::infinity();
  if (!above) return std::numeric_limits<double>::infinity();
  return *below + (*above - *below) / 2;
}

double best_threshold(std::vector<std::pair<double, bool>> judged) {
  std::sort(judged.begin(), judged.end());
  // Below every score: all count as true.
  std::int64_t right = std::count_if(judged.begin(), judged.end(), [](const auto& each) { return each.second; });
  std::int64_t most = right;
  double best = threshold_between({}, {});
  for (std::size_t i = 0; i < judged.size();) {
    const double score = judged[i].first;
    for (; i < judged.size() && judged[i].first == score; ++i) right += judged[i].second ? -1 : 1;
    if (right <= most) continue;
    most = right;
    best = threshold_between(score, i < judged.size() ? std::optional(judged[i].first) : std::nullopt);
  }
  return best;
}

Accuracy accuracy_of(std::span<const LabelledTriple* const> triples, std::span<const Threshold> thresholds,
                     const BootstrapOptions& bootstrap) {
  Accuracy made{.triples = std::ssize(triples)};
  std::map<std::uint32_t, std::pair<double, double>> by_fact;  // right, triples
  double accepted = 0, refused = 0, true_ones = 0;
  for (const LabelledTriple* each : triples) {
    const bool taken = each->score >= thresholds[static_cast<std::size_t>(each->triple.relation)].value;
    auto& [right, count] = by_fact[each->fact];
    right += taken == each->truth ? 1 : 0;
    count += 1;
    true_ones += each->truth ? 1 : 0;
    accepted += each->truth && taken ? 1 : 0;
    refused += !each->truth && !taken ? 1 : 0;
  }
  const auto all = static_cast<double>(triples.size()), false_ones = all - true_ones;
  made.accuracy = (accepted + refused) / std::max(1.0, all);
  made.true_accepted = accepted / std::max(1.0, true_ones);
  made.false_refused = refused / std::max(1.0, false_ones);
  std::vector<std::vector<double>> columns(1);
  std::vector<double> weights;
  for (const auto& [fact, counts] : by_fact) {
    columns[0].push_back(counts.first);
    weights.push_back(counts.second);
  }
  made.interval = bootstrap_means(columns, weights, bootstrap)[0];
  return made;
}

}  // namespace

std::vector<LabelledTriple> labelled_triples(const Graph& graph, Split split, const KnownAnswers& known,
                                           const FalseTriplesConfig& config) {
  const Corruption corruption(known, graph.entities(), graph.relations());
  std::optional<Corruption::Ends> ends;
  if (config.ends == FalseEnds::seen) ends.emplace(graph.triples(Split::train), graph.relations());
  std::vector<LabelledTriple> labelled;
  for (const Triple& triple : graph.triples(split)) {
    const auto fact = static_cast<std::uint32_t>(labelled.empty() ? 0 : labelled.back().fact + 1);
    Rng rng(config.seed, fmt::format("false triples of {}", to_string(split)), fact);
    labelled.push_back({.triple = triple, .truth = true, .fact = fact});
    const auto made = ends ? corruption.of_an_end(triple, *ends, rng) : corruption.of_an_end(triple, rng);
    if (made) labelled.push_back({.triple = *made, .truth = false, .fact = fact});
  }
  return labelled;
}

void score_triples(const Scorer& scorer, RelationId relations, std::vector<LabelledTriple>& triples) {
  std::vector<Triple> directed;
  for (const LabelledTriple& each : triples) directed.push_back(each.triple);
  const std::vector<double> as_tail = scores_of_answers(scorer, directed);
  for (Triple& triple : directed) triple = inverse(triple, relations);
  const std::vector<double> as_head = scores_of_answers(scorer, directed);
  for (std::size_t i = 0; i < triples.size(); ++i) triples[i].score = (as_tail[i] + as_head[i]) / 2;
}

std::vector<Threshold> choose_thresholds(std::span<const LabelledTriple> validation, RelationId relations) {
  std::vector<std::vector<std::pair<double, bool>>> by_relation(static_cast<std::size_t>(relations));
  std::vector<std::pair<double, bool>> all;
  for (const LabelledTriple& each : validation) {
    by_relation[static_cast<std::size_t>(each.triple.relation)].emplace_back(each.score, each.truth);
    all.emplace_back(each.score, each.truth);
  }
  const double of_all = best_threshold(std::move(all));
  std::vector<Threshold> thresholds;
  for (auto& judged : by_relation) {
    const std::int64_t count = std::ssize(judged);
    thresholds.push_back({.value = count == 0 ? of_all : best_threshold(std::move(judged)), .triples = count});
  }
  return thresholds;
}

Classification classify(std::span<const LabelledTriple> triples, std::span<const Threshold> thresholds,
                        const BootstrapOptions& bootstrap) {
  std::vector<const LabelledTriple*> all;
  std::map<RelationId, std::vector<const LabelledTriple*>> by_relation;
  for (const LabelledTriple& each : triples) {
    all.push_back(&each);
    by_relation[each.triple.relation].push_back(&each);
  }
  Classification made{.all = accuracy_of(all, thresholds, bootstrap), .relations = {}};
  for (const auto& [relation, some] : by_relation)
    made.relations.push_back(
        {relation, thresholds[static_cast<std::size_t>(relation)], accuracy_of(some, thresholds, bootstrap)});
  std::stable_sort(made.relations.begin(), made.relations.end(),
                   [](const auto& a, const auto& b) { return a.accuracy.triples > b.accuracy.triples; });
  return made;
}

std::string to_string(const FalseTriplesConfig& config) {
  return fmt::format(
      "one per triple, head or tail replaced by {}, in none of the three splits; seed {}",
      config.ends == FalseEnds::any ? "any entity" : "an entity seen in training at that end of the relation",
      config.seed);
}

}  // namespace hasa
