#include "hasa/families/text/pair_terms.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

/// Three entities, two relations; r is stated both ways between a and b.
Graph small() {
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  return parse_triples({"t.tsv", "a\tr\tb\nb\tr\ta\na\ts\tb\nc\tr\tb\n"}, {}, options);
}

class PairTermsTest : public ::testing::Test {
 protected:
  EntityId entity(const char* id) const { return *graph_.find_entity(id); }
  /// By place: each weight with its summed value.
  static std::map<std::int64_t, std::map<std::int64_t, float>> by_place(const PairTermEntries& entries) {
    std::map<std::int64_t, std::map<std::int64_t, float>> places;
    for (std::size_t i = 0; i < entries.places.size(); ++i)
      places[entries.places[i]][entries.weights[i]] += entries.values[i];
    return places;
  }

  Graph graph_ = small();
  const EntityId a_ = entity("a"), b_ = entity("b"), c_ = entity("c");
  const RelationId r_ = *graph_.find_relation("r"), s_ = *graph_.find_relation("s"), r_back_ = r_ + 2;
};

TEST_F(PairTermsTest, ShowAQueryEveryTrainingEdgeAndEveryCount) {
  const PairTerms terms({.links = true, .frequency = true}, graph_);
  ASSERT_EQ(terms.num_weights(), 4 * 4 + 4);
  const std::array<Query, 1> query{Query{a_, r_}};
  const auto places = by_place(terms.of_queries(query));
  // From a: r and s lead to b, and b's own r to a, seen from a as its inverse. b answered r twice, a once, c never.
  const std::map<std::int64_t, float> of_b = {
      {4 * r_ + r_, 1.F}, {4 * r_ + s_, 1.F}, {4 * r_ + r_back_, 1.F}, {16 + r_, std::log(3.F)}};
  const std::map<std::int64_t, float> of_a = {{16 + r_, std::log(2.F)}};
  ASSERT_EQ(places.size(), 2);
  EXPECT_EQ(places.at(b_).size(), of_b.size());
  for (const auto& [weight, value] : of_b) EXPECT_NEAR(places.at(b_).at(weight), value, 1e-6) << weight;
  EXPECT_EQ(places.at(a_).size(), 1);
  EXPECT_NEAR(places.at(a_).at(16 + r_), of_a.at(16 + r_), 1e-6);
}

TEST_F(PairTermsTest, LeaveOutTheTripleThatAStepAsksForAndNothingElse) {
  const PairTerms terms({.links = true, .frequency = true}, graph_);
  const auto train = graph_.triples(Split::train);
  const Triple asked{a_, r_, b_};
  const auto number = static_cast<std::uint32_t>(std::find(train.begin(), train.end(), asked) - train.begin());
  const std::array<StepTriple, 1> batch{StepTriple{asked, number}};
  const std::array<EntityId, 4> columns{c_, b_, a_, b_};  // b has two texts
  const auto places = by_place(terms.of_step(batch, columns));
  ASSERT_EQ(places.size(), 3);  // c never answered r and has no edge with a
  for (const std::int64_t column : {1, 3}) {
    const std::map<std::int64_t, float>& of_b = places.at(column);
    EXPECT_EQ(of_b.count(4 * r_ + r_), 0) << "its own edge";
    EXPECT_EQ(of_b.at(4 * r_ + s_), 1);
    EXPECT_EQ(of_b.at(4 * r_ + r_back_), 1);
    EXPECT_NEAR(of_b.at(16 + r_), std::log(2.F), 1e-6) << "c r b alone is counted";
  }
  EXPECT_NEAR(places.at(2).at(16 + r_), std::log(2.F), 1e-6);
}

TEST_F(PairTermsTest, TheSameTripleFromItsOtherEndIsLeftOutToo) {
  const PairTerms terms({.links = true, .frequency = true}, graph_);
  const auto train = graph_.triples(Split::train);
  const auto number = static_cast<std::uint32_t>(std::find(train.begin(), train.end(), Triple{c_, r_, b_}) - train.begin());
  const std::array<StepTriple, 1> batch{StepTriple{{b_, r_back_, c_}, number}};
  const std::array<EntityId, 1> columns{c_};
  // c's only edge is the one asked for, and it answered "what r b" by that alone.
  EXPECT_TRUE(terms.of_step(batch, columns).places.empty());
}

TEST_F(PairTermsTest, AGraphWithoutTheTripleGivesWhatAStepSeesOfIt) {
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  const Graph without = parse_triples({"t.tsv", "b\tr\ta\na\ts\tb\nc\tr\tb\n"}, {}, options);
  const PairTermsConfig config{.links = true, .frequency = true};
  const PairTerms all(config, graph_), rest(config, without);
  const auto train = graph_.triples(Split::train);
  const auto number = static_cast<std::uint32_t>(std::find(train.begin(), train.end(), Triple{a_, r_, b_}) - train.begin());
  const std::array<StepTriple, 1> batch{StepTriple{{a_, r_, b_}, number}};
  const std::array<EntityId, 1> column{b_};
  const auto step = by_place(all.of_step(batch, column));
  const std::array<Query, 1> query{Query{*without.find_entity("a"), *without.find_relation("r")}};
  const auto asked = by_place(rest.of_queries(query));
  // Relations have the same numbers only if they are met in the same order: compare what the values are.
  std::multiset<float> seen, expected;
  for (const auto& [weight, value] : step.at(0)) seen.insert(value);
  for (const auto& [weight, value] : asked.at(*without.find_entity("b"))) expected.insert(value);
  EXPECT_EQ(seen, expected);
}

TEST(PairTerms, AreTheSameWhateverEdgesValidAndTestHave) {
  hasa::testing::SmallBenchmark plain, planted;
  planted.valid = "paw\tpart_of\tfox\nanimal\thypernym\tdog\n";
  planted.test = "animal\thypernym\tpaw\ndog\tpart_of\tpaw\nfox\thypernym\tanimal\n";
  const Graph a = plain.read(), b = planted.read();
  std::vector<Query> queries;
  for (EntityId entity = 0; entity < a.entities(); ++entity) {
    for (RelationId relation = 0; relation < a.num_directed_relations(); ++relation)
      queries.push_back({entity, relation});
  }
  const PairTermsConfig config{.links = true, .frequency = true};
  const PairTermEntries of_a = PairTerms(config, a).of_queries(queries), of_b = PairTerms(config, b).of_queries(queries);
  EXPECT_FALSE(of_a.places.empty());
  EXPECT_EQ(of_a.places, of_b.places);
  EXPECT_EQ(of_a.weights, of_b.weights);
  EXPECT_EQ(of_a.values, of_b.values);
}

TEST(TermMatrix, AddsUpByPlaceAndItsGradientIsTheFiniteDifference) {
  const torch::Tensor weights = torch::tensor({0.5F, -2.0F, 3.0F}).requires_grad_();
  const PairTermTensors entries = tensors_of({{1, 1, 5, 0}, {0, 1, 2, 0}, {2, 1, 0.5F, 4}}, torch::kCPU);
  const torch::Tensor matrix = term_matrix(weights, entries, 2, 3);
  EXPECT_TRUE(torch::allclose(matrix, torch::tensor({{2.0F, -1.0F, 0.0F}, {0.0F, 0.0F, 1.5F}})));
  const torch::Tensor slope = torch::tensor({{1.0F, 10.0F, 100.0F}, {7.0F, 7.0F, 2.0F}});
  (matrix * slope).sum().backward();
  for (int i = 0; i < 3; ++i) {
    const auto at = [&](float h) {
      torch::Tensor moved = weights.detach().clone();
      moved[i] += h;
      return (term_matrix(moved, entries, 2, 3) * slope).sum().item<double>();
    };
    EXPECT_NEAR(weights.grad()[i].item<double>(), (at(0.5F) - at(-0.5F)), 1e-3);
  }
}

/// Three entities whose texts score 0, 1, 2 for every query.
class Counting : public VectorScorer {
 public:
  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override {
    return torch::ones({std::ssize(queries), 1});
  }

 private:
  torch::Tensor entities_ = torch::tensor({{0.0F}, {1.0F}, {2.0F}});
};

TEST_F(PairTermsTest, AScorerAddsThemToScaledScores) {
  const auto terms = std::make_shared<const PairTerms>(PairTermsConfig{.links = true}, graph_);
  const torch::Tensor weights = torch::zeros({terms->num_weights()});
  weights[4 * r_ + s_] = 7;
  const PairTermsScorer scorer(std::make_unique<Counting>(), terms, weights, /*scale=*/10);
  const std::array<Query, 2> queries{Query{a_, r_}, {c_, r_}};
  torch::Tensor expected = torch::tensor({{0.0F, 10.0F, 20.0F}, {0.0F, 10.0F, 20.0F}});
  expected[0][b_] += 7;
  EXPECT_TRUE(torch::allclose(scorer.scores(queries), expected));
  const torch::Tensor candidates = torch::tensor({{2, 1}, {0, 1}}, torch::kInt64);
  EXPECT_TRUE(torch::allclose(scorer.scores_of(queries, candidates), expected.gather(1, candidates)));
}

}  // namespace
}  // namespace hasa
