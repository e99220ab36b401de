#include "hasa/families/simkgc/simkgc_step.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

constexpr int kEntities = 30;

/// Every entity is called by a word of its own, has no description, and so is told by its neighbours' names.
class SimkgcStepTest : public ::testing::Test {
 protected:
  SimkgcStepTest() {
    std::string triples, names;
    Rng rng(5, "triples", 0);
    for (int i = 0; i < 90; ++i)
      triples += fmt::format("e{}\tr{}\te{}\n", rng.below(kEntities), rng.below(2), rng.below(kEntities));
    std::vector<std::string> vocabulary = {"[PAD]", "[UNK]", "[CLS]", "[SEP]",   "[MASK]",
                                           ":",     "r0",    "r1",    "reverse", "of"};
    for (int i = 0; i < kEntities; ++i) {
      names += fmt::format("e{0}\tname{0}\t\n", i);
      vocabulary.push_back(fmt::format("name{}", i));
    }
    ReadTriplesOptions all_training;
    all_training.split = {.valid = 0, .test = 0};
    graph_.emplace(parse_triples({"t.tsv", triples}, NamedText{"x.tsv", names}, all_training));
    known_.emplace(KnownAnswers::of_training(*graph_));
    const WordPiece pieces(vocabulary, TokenizerSettings::bert());
    TextConfig config;
    config.neighbours = 10;
    inputs_.emplace(pieces, GraphTokens::build(*graph_, pieces), config, *graph_);
    for (EntityId e = 0; e < graph_->entities(); ++e) {
      std::vector<std::int32_t> ids;
      pieces.encode(graph_->entity_name(e), ids);
      name_.push_back(ids.at(0));
    }
    all_ = with_inverses(graph_->triples(Split::train), graph_->relations());
  }

  bool says(const TextRequest& request, EntityId entity) const {
    const PackedInputs text = inputs_->for_training({&request, 1}, 1);
    return std::find(text.ids.begin(), text.ids.end(), name_[static_cast<std::size_t>(entity)]) != text.ids.end();
  }

  std::optional<Graph> graph_;
  std::optional<KnownAnswers> known_;
  std::optional<TextInputs> inputs_;
  std::vector<std::int32_t> name_;  // the token of each
  std::vector<Triple> all_;
};

TEST_F(SimkgcStepTest, NeverReadsTheAnswersNameInAQueryNorTheHeadsInItsAnswer) {
  std::size_t hidden = 0;
  for (std::size_t first = 0; first < all_.size(); first += 16) {
    const auto batch = std::span(all_).subspan(first, std::min<std::size_t>(16, all_.size() - first));
    const SimkgcPlan plan = plan_simkgc_step({.batch = batch, .earlier = {}}, *known_, *inputs_);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto [head, relation, tail] = batch[i];
      if (head == tail) continue;  // an entity's own name is always read
      const auto place = [](const std::vector<std::int64_t>& places, std::size_t at) {
        return static_cast<std::size_t>(places[at]);
      };
      EXPECT_FALSE(says(plan.queries[place(plan.query, i)], tail)) << head << " " << tail;
      EXPECT_FALSE(says(plan.entities[place(plan.tail, i)], head)) << head << " " << tail;
      EXPECT_FALSE(says(plan.entities[place(plan.head, i)], tail)) << head << " " << tail;
      // It would have shown: asked outside of training, most texts say it.
      hidden += says(TextRequest::of_query(head, relation), tail) ? 1 : 0;
    }
  }
  EXPECT_GT(hidden, all_.size() / 2);
}

TEST_F(SimkgcStepTest, ReadsEveryDistinctTextOnce) {
  const std::vector<Triple> batch = {all_[0], all_[1], all_[0]};
  const SimkgcPlan plan = plan_simkgc_step({.batch = batch, .earlier = {}}, *known_, *inputs_);
  EXPECT_EQ(plan.queries.size(), 2U);
  EXPECT_EQ(plan.entities.size(), 4U);
  EXPECT_THAT(plan.query, ::testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(plan.tail, ::testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(plan.head, ::testing::ElementsAre(2, 3, 2));
}

TEST_F(SimkgcStepTest, TakesNoKnownAnswerForANegativeWhereverItStands) {
  std::vector<EntityId> earlier;
  for (EntityId e = 0; e < graph_->entities(); ++e) earlier.push_back(e);
  earlier.push_back(-1);
  const auto batch = std::span(all_).first(20);
  const SimkgcPlan plan = plan_simkgc_step({.batch = batch, .earlier = earlier}, *known_, *inputs_);
  const torch::Tensor negative = make_simkgc_step(plan, *inputs_, 1, 0, torch::kCPU).negative();
  ASSERT_EQ(negative.size(1), 20 + std::ssize(earlier) + 1);
  for (std::int64_t i = 0; i < 20; ++i) {
    const Triple& asked = batch[static_cast<std::size_t>(i)];
    const auto is_negative = [&](EntityId entity) { return !known_->contains(asked.head, asked.relation, entity); };
    for (std::int64_t j = 0; j < 20; ++j)
      EXPECT_EQ(negative[i][j].item<bool>(), is_negative(batch[static_cast<std::size_t>(j)].tail)) << i << " " << j;
    for (std::int64_t e = 0; e < graph_->entities(); ++e)
      EXPECT_EQ(negative[i][20 + e].item<bool>(), is_negative(static_cast<EntityId>(e))) << i << " " << e;
    EXPECT_FALSE(negative[i][20 + graph_->entities()].item<bool>());  // an empty place of an earlier batch
    EXPECT_EQ(negative[i][-1].item<bool>(), is_negative(asked.head)) << i;
  }
}

}  // namespace
}  // namespace hasa
