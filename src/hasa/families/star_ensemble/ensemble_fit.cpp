#include "hasa/families/star_ensemble/ensemble_fit.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/eval/ranking.h"
#include "hasa/train/adamw.h"
#include "hasa/train/host_tensor.h"

namespace hasa {
namespace {

constexpr std::int64_t kFitBudget = std::int64_t{512} << 20;

/// Both directions of every second triple.
std::vector<Triple> half_of(const Graph& graph, std::size_t half) {
  std::vector<Triple> some;
  const auto triples = graph.triples(Split::valid);
  for (std::size_t i = half; i < triples.size(); i += 2) some.push_back(triples[i]);
  return with_inverses(some, graph.relations());
}

/// [queries, top] bool: which of the candidates are not known answers.
torch::Tensor negatives_among(const torch::Tensor& entities, std::span<const Triple> triples,
                              const KnownAnswers& known) {
  const torch::Tensor ids = entities.cpu();
  torch::Tensor flags = torch::ones(ids.sizes(), torch::kBool);
  const auto* id = ids.const_data_ptr<std::int64_t>();
  bool* flag = flags.mutable_data_ptr<bool>();
  for (const Triple& triple : triples) {
    for (std::int64_t i = 0; i < ids.size(1); ++i)
      *flag++ = !known.contains(triple.head, triple.relation, static_cast<EntityId>(*id++));
  }
  return flags.to(entities.device());
}

EnsembleExamples examples_of(const EnsembleScorer& scorer, std::span<const Triple> triples, const KnownAnswers& known) {
  const std::size_t at_once = queries_within(scorer, kFitBudget);
  std::vector<torch::Tensor> top_text, top_graph, negative, text, graph;
  for (std::size_t first = 0; first < triples.size(); first += at_once) {
    const auto part = triples.subspan(first, std::min(at_once, triples.size() - first));
    std::vector<Query> queries;
    std::vector<std::int64_t> answers;
    for (const Triple& triple : part) {
      queries.push_back(query_of(triple));
      answers.push_back(triple.tail);
    }
    const TwoScores scores = scorer.both(queries);
    const BestScores top = BestScores::of(scores.text, scores.graph, scorer.top());
    const torch::Tensor answer = host_tensor(answers, torch::kInt64, scorer.device()).to(scorer.device()).unsqueeze(1);
    top_text.push_back(top.text);
    top_graph.push_back(top.graph);
    negative.push_back(negatives_among(top.entities, part, known));
    text.push_back(scores.text.gather(1, answer).squeeze(1));
    graph.push_back(scores.graph.gather(1, answer).squeeze(1));
  }
  return {.top = {torch::cat(top_text), torch::cat(top_graph), {}},
          .negative = torch::cat(negative),
          .text = torch::cat(text),
          .graph = torch::cat(graph)};
}

AdaptiveWeight fitted_on(const EnsembleExamples& examples, const EnsembleFitConfig& config) {
  const at::AutoGradMode with_gradients(true);
  AdaptiveWeight weight = AdaptiveWeight::zero(examples.top.text.size(1), examples.text.device());
  weight.weight.requires_grad_();
  weight.bias.requires_grad_();
  OptimiserConfig options;
  options.lr = config.lr;
  options.weight_decay = config.weight_decay;
  AdamW optimiser(of_kind(ParameterKind::new_layer, {{"weight", weight.weight}, {"bias", weight.bias}}), options);
  for (std::int64_t step = 0; step < config.steps; ++step) {
    ensemble_loss(weight, examples, config.margin).backward();
    optimiser.step(/*factor=*/1);
  }
  return {weight.weight.detach(), weight.bias.detach()};
}

/// Of two lists of queries, one after the other.
EnsembleExamples joined(const EnsembleExamples& a, const EnsembleExamples& b) {
  return {.top = {torch::cat({a.top.text, b.top.text}), torch::cat({a.top.graph, b.top.graph}), {}},
          .negative = torch::cat({a.negative, b.negative}),
          .text = torch::cat({a.text, b.text}),
          .graph = torch::cat({a.graph, b.graph})};
}

}  // namespace

FittedEnsemble fit_ensemble(EnsembleScorer& scorer, const Graph& graph, const EnsembleFitConfig& config) {
  HASA_CHECK(
      graph.triples(Split::valid).size() >= 2, data,
      "an ensemble is fitted on validation answers, and the graph has {} validation triples\nimport it with more",
      graph.triples(Split::valid).size());
  constexpr Split kToFitWith[] = {Split::train, Split::valid};  // the test split is for ranking alone
  const KnownAnswers known(graph, kToFitWith), all_known = KnownAnswers::of_all_splits(graph);
  const KnownIndex index(all_known, scorer.device());
  const std::vector<Triple> halves[] = {half_of(graph, 0), half_of(graph, 1)};
  const EnsembleExamples examples[] = {examples_of(scorer, halves[0], known), examples_of(scorer, halves[1], known)};
  std::vector<RankedQuery> ranked;
  for (const std::size_t half : {0, 1}) {
    scorer.set_weight(fitted_on(examples[1 - half], config));
    for_each_scored(scorer, halves[half], {},
                    [&](const ScoredQueries& part) { append_ranks(part.scores, part.queries, index, ranked); });
  }
  FittedEnsemble fitted{.weight = fitted_on(joined(examples[0], examples[1]), config),
                        .validation = scores_of(ranked, graph.relations())};
  scorer.set_weight(fitted.weight);
  return fitted;
}

}  // namespace hasa
