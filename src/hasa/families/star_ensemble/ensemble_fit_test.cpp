#include "hasa/families/star_ensemble/ensemble_fit.h"

#include <gtest/gtest.h>

#include <functional>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/read_triples.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

Graph graph_with_validation() {
  SyntheticOptions options;
  options.entities = 60;
  options.relations = 3;
  options.triples = 500;
  options.groups = 6;
  options.texts = false;
  options.split.valid = options.split.test = 0.2;
  return synthetic_graph(options);
}

/// Knows the true answers of some queries, and of the others nothing but noise, to which it gives itself away: none of
/// its scores stands out.
class HalfKnowing : public Scorer {
 public:
  HalfKnowing(const Graph& graph, EntityId parity)
      : known_(KnownAnswers::of_all_splits(graph)), entities_(graph.entities()), parity_(parity) {}

  std::int64_t num_entities() const override { return entities_; }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return {}; }
  torch::Tensor scores(std::span<const Query> queries) const override {
    torch::Tensor scores = torch::empty({std::ssize(queries), entities_});
    float* score = scores.mutable_data_ptr<float>();
    for (const Query& query : queries) {
      Rng rng(static_cast<std::uint64_t>(parity_), "noise",
              static_cast<std::uint64_t>(query.given * 100 + query.relation));
      const bool knows = query.given % 2 == parity_;
      for (EntityId e = 0; e < entities_; ++e) {
        const auto noise = static_cast<float>(rng.uniform());
        *score++ = knows && known_.contains(query.given, query.relation, e) ? 4 + noise : noise;
      }
    }
    return scores;
  }
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }

 private:
  KnownAnswers known_;
  EntityId entities_, parity_;
};

EnsembleScorer ensemble_of_halves(const Graph& graph) {
  return {std::make_unique<HalfKnowing>(graph, 0), std::make_unique<HalfKnowing>(graph, 1), graph, /*top=*/10,
          AdaptiveWeight::zero(10, torch::kCPU)};
}

double mrr_of(const Scorer& scorer, const Graph& graph, Split split) {
  return metrics_of(rank_split(scorer, graph, KnownAnswers::of_all_splits(graph), split)).mrr;
}

TEST(EnsembleFit, BelievesTheRunThatKnowsAboutEachQuery) {
  const Graph graph = graph_with_validation();
  EnsembleScorer scorer = ensemble_of_halves(graph);
  const double even = mrr_of(scorer, graph, Split::test);
  const FittedEnsemble fitted = fit_ensemble(scorer, graph, {});
  const double adapted = mrr_of(scorer, graph, Split::test);
  EXPECT_GT(adapted, mrr_of(HalfKnowing(graph, 0), graph, Split::test) + 0.2);
  EXPECT_GT(adapted, mrr_of(HalfKnowing(graph, 1), graph, Split::test) + 0.2);
  EXPECT_GT(adapted, even);
  EXPECT_NEAR(fitted.validation.all.mrr, adapted, 0.1);
  const std::vector<Query> queries = {{2, 0}, {3, 0}};
  const TwoScores both = scorer.both(queries);
  const torch::Tensor alpha = scorer.alpha(BestScores::of(both.text, both.graph, 10), queries);
  EXPECT_GT(alpha[0].item<double>(), alpha[1].item<double>());  // an even entity is the text run's
}

TEST(EnsembleFit, AsksTheTextRunAloneAboutAnEntityWithoutTrainingEdges) {
  const Graph graph = parse_benchmark({.source = "made up",
                                       .train = {"train.txt", "a\tr\tb\n"},
                                       .valid = {"valid.txt", "b\tr\ta\n"},
                                       .test = {"test.txt", "new\tr\tb\n"},
                                       .entities = {},
                                       .relations = {}});
  const EnsembleScorer scorer(std::make_unique<HalfKnowing>(graph, 0), std::make_unique<HalfKnowing>(graph, 1), graph,
                              2, AdaptiveWeight::zero(2, torch::kCPU));
  const std::vector<Query> unseen = {{*graph.find_entity("new"), 0}}, seen = {{*graph.find_entity("a"), 0}};
  EXPECT_TRUE(torch::allclose(scorer.scores(unseen), scorer.both(unseen).text));
  EXPECT_FALSE(torch::allclose(scorer.scores(seen), scorer.both(seen).text));
}

TEST(EnsembleFit, RefusesAGraphWithoutValidationTriples) {
  ReadTriplesOptions all_training;
  all_training.split = {.valid = 0, .test = 0};
  const Graph graph = parse_triples({"t.tsv", "a\tr\tb\n"}, {}, all_training);
  EnsembleScorer scorer = ensemble_of_halves(graph);
  EXPECT_ERROR(fit_ensemble(scorer, graph, {}), "the graph has 0 validation triples");
}

}  // namespace
}  // namespace hasa
