#include "hasa/families/frozen/drawn_candidates.h"

#include <algorithm>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

class DrawnCandidatesTest : public ::testing::Test {
 protected:
  DrawnCandidatesTest() {
    const std::vector<Triple> all = with_inverses(graph_.triples(Split::train), graph_.relations());
    batch_.assign(all.begin(), all.begin() + 20);
    for (EntityId e = 0; e < 60; ++e) near_.push_back(e % 7 == 0 ? -1 : e);  // three for each of the 20
  }

  static Graph dense_graph() {
    SyntheticOptions options;
    options.entities = 80;
    options.relations = 2;
    options.triples = 900;
    options.texts = false;
    return synthetic_graph(options);
  }
  DrawnCandidates draw(std::int64_t count, std::uint64_t seed = 1) const {
    return draw_candidates(batch_, near_, known_, graph_.entities(), count, Rng(seed));
  }

  Graph graph_ = dense_graph();
  KnownAnswers known_ = KnownAnswers::of_training(graph_);
  std::vector<Triple> batch_;
  std::vector<EntityId> near_;
};

TEST_F(DrawnCandidatesTest, HaveAColumnForEachEntityThatIsNeeded) {
  const DrawnCandidates drawn = draw(10);
  EXPECT_TRUE(std::ranges::is_sorted(drawn.entities, std::less_equal<>()));
  for (std::size_t i = 0; i < batch_.size(); ++i)
    EXPECT_EQ(drawn.entities.at(static_cast<std::size_t>(drawn.positive[i])), batch_[i].tail);
  ASSERT_EQ(drawn.near.size(), near_.size());
  for (std::size_t i = 0; i < near_.size(); ++i)
    EXPECT_EQ(drawn.near[i] < 0 ? -1 : drawn.entities.at(static_cast<std::size_t>(drawn.near[i])), near_[i]);
}

TEST_F(DrawnCandidatesTest, LeaveEachQueryItsDrawnEntitiesAndTheTailsThatAreNoKnownAnswers) {
  const auto entities = graph_.entities();
  // With all of them drawn, a query's negatives are all entities but its known answers.
  const DrawnCandidates all = draw(entities);
  ASSERT_EQ(all.entities.size(), static_cast<std::size_t>(entities));
  const std::set<std::int64_t> excluded(all.no_negatives.begin(), all.no_negatives.end());
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    for (EntityId e = 0; e < entities; ++e) {
      const bool is_known = known_.contains(batch_[i].head, batch_[i].relation, e);
      EXPECT_EQ(excluded.contains(static_cast<std::int64_t>(i) * entities + e), is_known);
    }
  }
  // With none drawn they are the batch's tails, and what is near alone is nobody's negative.
  const DrawnCandidates none = draw(0);
  const std::set<std::int64_t> left_out(none.no_negatives.begin(), none.no_negatives.end());
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    for (std::size_t c = 0; c < none.entities.size(); ++c) {
      const EntityId e = none.entities[c];
      const bool is_tail = std::ranges::any_of(batch_, [&](const Triple& triple) { return triple.tail == e; });
      const bool is_negative = is_tail && !known_.contains(batch_[i].head, batch_[i].relation, e);
      EXPECT_NE(left_out.contains(static_cast<std::int64_t>(i * none.entities.size() + c)), is_negative);
    }
  }
}

TEST_F(DrawnCandidatesTest, DrawAllEntitiesEquallyOften) {
  near_.clear();
  batch_.resize(1);
  std::vector<int> times(static_cast<std::size_t>(graph_.entities()));
  constexpr int kDraws = 4000, kCount = 20;
  for (int k = 0; k < kDraws; ++k) {
    for (const EntityId e : draw(kCount, static_cast<std::uint64_t>(k)).entities) ++times[static_cast<std::size_t>(e)];
  }
  times[static_cast<std::size_t>(batch_[0].tail)] = kDraws * kCount / 80;     // always there, as the tail
  for (const int each : times) EXPECT_NEAR(each, kDraws * kCount / 80, 140);  // 5 deviations
}

}  // namespace
}  // namespace hasa
