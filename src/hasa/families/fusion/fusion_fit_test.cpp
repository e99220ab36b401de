#include "hasa/families/fusion/fusion_fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "hasa/base/rng.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/fusion/parts_worth.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

/// Any function of query and entity as a scorer.
class MadeUpScorer : public Scorer {
 public:
  MadeUpScorer(EntityId entities, std::function<float(const Query&, EntityId)> score)
      : entities_(entities), score_(std::move(score)) {}

  std::int64_t num_entities() const override { return entities_; }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return {}; }
  torch::Tensor scores(std::span<const Query> queries) const override {
    torch::Tensor scores = torch::empty({std::ssize(queries), entities_});
    float* score = scores.mutable_data_ptr<float>();
    for (const Query& query : queries) {
      for (EntityId e = 0; e < entities_; ++e) *score++ = score_(query, e);
    }
    return scores;
  }
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }

 private:
  EntityId entities_;
  std::function<float(const Query&, EntityId)> score_;
};

float noise(const Query& query, EntityId entity, std::uint64_t seed) {
  const auto number = (static_cast<std::uint64_t>(query.given) << 40) ^
                      (static_cast<std::uint64_t>(query.relation) << 24) ^ static_cast<std::uint64_t>(entity);
  return static_cast<float>(Rng(seed, "noise", number).uniform());
}

Graph made_up_graph(std::uint64_t relations = 3) {
  SyntheticOptions options;
  options.entities = 80;
  options.relations = relations;
  options.triples = 700;
  options.groups = 8;
  options.texts = false;
  options.split.valid = options.split.test = 0.15;
  return synthetic_graph(options);
}

/// Knows every true triple of the graph, but for some noise.
std::unique_ptr<Scorer> knowing(const Graph& graph, float certainty, std::uint64_t seed) {
  auto known = std::make_shared<KnownAnswers>(KnownAnswers::of_all_splits(graph));
  return std::make_unique<MadeUpScorer>(graph.entities(), [known, certainty, seed](const Query& query, EntityId e) {
    return (known->contains(query.given, query.relation, e) ? certainty : 0) + noise(query, e, seed);
  });
}

FusionFeatures features_of(const Graph& graph, std::vector<std::unique_ptr<Scorer>> scorers, const FusionTerms& terms) {
  std::vector<RunPart> parts;
  for (auto& scorer : scorers) parts.push_back({"part " + std::to_string(parts.size()), std::move(scorer)});
  return {std::move(parts), graph, terms};
}

template <class... Scorers>
FusionFeatures fusion_of(const Graph& graph, const FusionTerms& terms, Scorers... scorers) {
  std::vector<std::unique_ptr<Scorer>> all;
  (all.push_back(std::move(scorers)), ...);
  return features_of(graph, std::move(all), terms);
}

constexpr FusionTerms kScoresAlone{.dynamic = false, .frequency = false, .linked = false};

double mrr(const Scorer& scorer, const Graph& graph, Split split = Split::test) {
  return metrics_of(rank_split(scorer, graph, KnownAnswers::of_all_splits(graph), split)).mrr;
}

TEST(FusionFit, OfOnePartRanksAsThatPart) {
  const Graph graph = made_up_graph();
  const auto alone = knowing(graph, 0.6F, 1);
  FusionFeatures features = fusion_of(graph, kScoresAlone, knowing(graph, 0.6F, 1));
  const FittedFusion fitted = fit_fusion(features, graph, {}, 1);
  const FusionScorer fused(std::move(features), fitted.weights);
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const auto expected = rank_split(*alone, graph, known, Split::test),
             got = rank_split(fused, graph, known, Split::test);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(got[i].realistic(), expected[i].realistic()) << i;
  EXPECT_NEAR(fitted.validation.all.mrr, mrr(*alone, graph, Split::valid), 1e-9);
}

TEST(FusionFit, OfTwoPartsIsBetterThanEither) {
  const Graph graph = made_up_graph();
  FusionFeatures features = fusion_of(graph, kScoresAlone, knowing(graph, 0.5F, 1), knowing(graph, 0.5F, 2));
  const FittedFusion fitted = fit_fusion(features, graph, {}, 1);
  const FusionScorer fused(std::move(features), fitted.weights);
  EXPECT_GT(mrr(fused, graph), mrr(*knowing(graph, 0.5F, 1), graph) + 0.05);
  EXPECT_GT(mrr(fused, graph), mrr(*knowing(graph, 0.5F, 2), graph) + 0.05);
}

TEST(FusionFit, GivesAPartThatKnowsNothingHardlyAnyWeight) {
  const Graph graph = made_up_graph();
  const FusionFeatures features = fusion_of(graph, kScoresAlone, knowing(graph, 0.6F, 1), knowing(graph, 0.F, 2));
  const torch::Tensor weights = fit_fusion(features, graph, {}, 1).weights.all;
  EXPECT_GT(weights.select(1, 0).min().item<float>(), 4 * weights.select(1, 1).abs().max().item<float>());
}

TEST(FusionFit, TellsOfPartsThatFitTheValidationAnswersByChanceWhatTheyAreWorth) {
  // Twelve parts of noise and thirty directed relations of some ten queries each: with no shrinkage there are weights
  // that rank these very queries well. On queries that were not fitted they are worth nothing, and so says the figure.
  const Graph graph = made_up_graph(/*relations=*/15);
  std::vector<std::unique_ptr<Scorer>> parts;
  for (std::uint64_t seed = 0; seed < 12; ++seed) parts.push_back(knowing(graph, 0.F, seed));
  FusionFeatures features = features_of(graph, std::move(parts), kScoresAlone);
  const FittedFusion fitted = fit_fusion(features, graph, {.shrinkage = 1e-3}, 1);
  const FusionScorer fused(std::move(features), fitted.weights);
  const double by_chance = mrr(*knowing(graph, 0.F, 99), graph, Split::valid);
  EXPECT_GT(mrr(fused, graph, Split::valid), by_chance + 0.1);
  EXPECT_NEAR(fitted.validation.all.mrr, by_chance, 0.04);
}

/// The graph as it is, or with other edges in a split.
Graph with_split(const Graph& graph, Split split, const std::vector<Triple>& triples) {
  const auto lines = [&](Split each) {
    std::string text;
    const auto own = graph.triples(each);
    for (const Triple& t : each == split ? triples : std::vector<Triple>(own.begin(), own.end()))
      text +=
          fmt::format("{}\t{}\t{}\n", graph.entity_id(t.head), graph.relation_id(t.relation), graph.entity_id(t.tail));
    return text;
  };
  std::string entities, relations;
  for (EntityId e = 0; e < graph.entities(); ++e) entities += fmt::format("{}\t\t\n", graph.entity_id(e));
  for (RelationId r = 0; r < graph.relations(); ++r) relations += fmt::format("{}\t\n", graph.relation_id(r));
  return parse_benchmark({"planted",
                          {"train.txt", lines(Split::train)},
                          {"valid.txt", lines(Split::valid)},
                          {"test.txt", lines(Split::test)},
                          NamedText{"entities.tsv", entities},
                          NamedText{"relations.tsv", relations}});
}

TEST(FusionFit, ReadsNoTestEdge) {
  const Graph graph = made_up_graph();
  std::vector<Triple> planted;
  for (const Triple& t : graph.triples(Split::test)) planted.push_back({t.tail, t.relation, t.head});
  const auto weights_of = [&](const Graph& each) {
    // The parts are those of the one graph: what is asked is what the fit itself reads.
    const FusionFeatures features = fusion_of(each, {.dynamic = true, .frequency = true, .linked = true},
                                              knowing(graph, 0.5F, 1), knowing(graph, 0.5F, 2));
    return fit_fusion(features, each, {.top = 2, .sample = 8}, 1).weights.all;
  };
  const Graph same =
      with_split(graph, Split::test, {graph.triples(Split::test).begin(), graph.triples(Split::test).end()});
  EXPECT_TRUE(torch::equal(weights_of(same), weights_of(with_split(graph, Split::test, planted))));
}

TEST(FusionFit, FromASampleOfTheRivalsComesNearTheWeightsOfAll) {
  const Graph graph = made_up_graph();
  const FusionFeatures features = fusion_of(graph, kScoresAlone, knowing(graph, 0.5F, 1), knowing(graph, 0.3F, 2));
  const torch::Tensor all = fit_fusion(features, graph, {.by_relation = false}, 1).weights.all;
  const torch::Tensor some = fit_fusion(features, graph, {.by_relation = false, .top = 4, .sample = 16}, 1).weights.all;
  EXPECT_TRUE(torch::allclose(some, all, 0.25)) << some[0] << all[0];
}

TEST(FusionFeatures, CountAnswersAndLinksOfTrainingAlone) {
  // 0 -r-> 2, 1 -r-> 2 in training; 0 -r-> 1 in valid, 2 -r-> 3 in test.
  const Graph graph = parse_benchmark({"small",
                                       {"train.txt", "a\tr\tc\nb\tr\tc\n"},
                                       {"valid.txt", "a\tr\tb\n"},
                                       {"test.txt", "c\tr\td\n"},
                                       NamedText{"entities.tsv", "a\t\t\nb\t\t\nc\t\t\nd\t\t\n"},
                                       NamedText{"relations.tsv", "r\t\n"}});
  const FusionFeatures features =
      fusion_of(graph, {.dynamic = true, .frequency = true, .linked = true},
                std::make_unique<MadeUpScorer>(4, [](const Query&, EntityId e) { return 2.F * e; }));
  const std::array<Query, 2> queries{Query{0, 0}, Query{2, 1}};
  const std::vector<torch::Tensor> terms = features.of(queries);
  ASSERT_EQ(terms.size(), 4);
  const float unit = 1 / std::sqrt(5.F);  // of -3, -1, 1, 3
  EXPECT_TRUE(torch::allclose(terms[0][0], torch::tensor({-3 * unit, -unit, unit, 3 * unit})));
  EXPECT_TRUE(torch::allclose(terms[1][0], torch::tensor({-3.F, -1.F, 1.F, 3.F})));
  EXPECT_TRUE(torch::allclose(
      terms[2], torch::tensor({{0.F, 0.F, std::log(3.F), 0.F}, {std::log(2.F), std::log(2.F), 0.F, 0.F}})));
  EXPECT_TRUE(torch::equal(terms[3], torch::tensor({{0.F, 0.F, 1.F, 0.F}, {1.F, 1.F, 0.F, 0.F}})));
}

TEST(PartsWorth, ShowsEachPartAloneAndTheFusionWithoutIt) {
  const Graph graph = made_up_graph();
  FusionFeatures features = fusion_of(graph, kScoresAlone, knowing(graph, 0.6F, 1), knowing(graph, 0.F, 2));
  const FittedFusion fitted = fit_fusion(features, graph, {}, 1);
  const FusionScorer fused(std::move(features), fitted.weights);
  const std::vector<Breakdown> worth = parts_worth(fused, graph, Split::test, {.resamples = 20}, 1 << 20);
  const auto mrr_of = [&](const std::string& name) {
    for (const Group& group : worth[0].groups) {
      if (group.name == name) return group.metrics.mrr;
    }
    return -1.0;
  };
  EXPECT_NEAR(mrr_of("all parts"), mrr(fused, graph), 1e-9);
  EXPECT_NEAR(mrr_of("part 0 alone"), mrr(*knowing(graph, 0.6F, 1), graph), 1e-9);
  EXPECT_NEAR(mrr_of("without part 1"), mrr_of("part 0 alone"), 0.02);
  EXPECT_LT(mrr_of("without part 0"), 0.2);
  EXPECT_EQ(worth[1].groups.size(), 3 * worth[0].groups.size());  // of three relations
}

}  // namespace
}  // namespace hasa
