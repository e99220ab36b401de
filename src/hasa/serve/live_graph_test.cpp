#include "hasa/serve/live_graph.h"

#include <set>
#include <thread>

#include "hasa/base/memory.h"
#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/serve/refusal.h"

namespace hasa {
namespace {

using testing::SmallBenchmark;
using testing::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A text's vector is its length and how many facts it has.
class CountingReader : public TextReader {
 public:
  torch::Tensor entity_vectors(std::span<const UnseenEntity> entities) const override {
    torch::Tensor vectors = torch::empty({std::ssize(entities), 2});
    for (std::size_t i = 0; i < entities.size(); ++i) {
      HASA_CHECK(entities[i].name != "unreadable", data, "this text cannot be read");
      vectors[static_cast<std::int64_t>(i)][0] = static_cast<float>(entities[i].description.size());
      vectors[static_cast<std::int64_t>(i)][1] = static_cast<float>(entities[i].facts.size());
    }
    return vectors;
  }
  torch::Tensor query_vectors(std::span<const UnseenQuery>) const override { return {}; }
  torch::Tensor text_vectors(std::span<const std::string>) const override { return {}; }
  bool reads_facts() const override { return true; }
  std::int64_t tokens(const UnseenEntity&) const override { return 1; }
};

class LiveGraphTest : public ::testing::Test {
 protected:
  std::unique_ptr<LiveGraph> open(Journal::Access access = Journal::Access::write) {
    return std::make_unique<LiveGraph>(graph_, known_, dir_ / "live.journal", access, [this] { return &reader_; });
  }
  std::vector<Applied> apply(const std::vector<Change>& changes) { return live_->apply(changes); }
  void reopen() {
    live_.reset();
    live_ = open();
  }
  std::shared_ptr<const LiveState> state() const { return live_->state(); }
  EntityId entity(const char* id) const { return *state()->find_entity(id); }
  std::optional<Known> known(const char* head, RelationId relation, const char* tail) const {
    return state()->known(entity(head), relation, entity(tail));
  }
  torch::Tensor vector(const char* id) const { return state()->vectors()[state()->row_of(entity(id))]; }

  TempDir dir_;
  Graph graph_ = SmallBenchmark().read();
  KnownLinks known_{graph_};
  CountingReader reader_;
  RelationId hypernym_ = *graph_.find_relation("hypernym"), part_of_ = *graph_.find_relation("part_of");
  std::unique_ptr<LiveGraph> live_ = open();
};

TEST_F(LiveGraphTest, ShowsAnEntityAtOnceWithItsTextItsLinksAndItsVector) {
  const auto applied = apply({PutEntity{"wolf", "Wolf", "a wild dog"}, AddTriple{"wolf", "hypernym", "canine"}});
  EXPECT_TRUE(applied[0].created);
  EXPECT_EQ(applied[0].entity, graph_.entities());
  EXPECT_EQ(state()->entity_name(entity("wolf")), "Wolf");
  EXPECT_EQ(state()->entity_description(entity("wolf")), "a wild dog");
  EXPECT_EQ(known("wolf", hypernym_, "canine"), Known::live);
  EXPECT_EQ(known("canine", inverse(hypernym_, 2), "wolf"), Known::live);
  EXPECT_TRUE(torch::equal(vector("wolf"), torch::tensor({10.0F, 1.0F})));
  EXPECT_THAT(state()->owners(), ElementsAre(entity("wolf")));
  EXPECT_THAT(state()->live_entities_called("WOLF"), ElementsAre(entity("wolf")));
  EXPECT_EQ(state()->degree(entity("canine")), graph_.triples(Split::train).size());
}

TEST_F(LiveGraphTest, ReadsAnEntityAnewWhenItsTextOrItsLinksChange) {
  apply({PutEntity{"wolf", "Wolf", "a wild dog"}});
  EXPECT_TRUE(torch::equal(vector("wolf"), torch::tensor({10.0F, 0.0F})));
  const auto before = state();
  apply({AddTriple{"wolf", "hypernym", "canine"}});
  EXPECT_TRUE(torch::equal(vector("wolf"), torch::tensor({10.0F, 1.0F})));
  apply({PutEntity{"wolf", "Wolf", "wild"}});
  EXPECT_TRUE(torch::equal(vector("wolf"), torch::tensor({4.0F, 1.0F})));
  EXPECT_TRUE(torch::equal(before->vectors(), torch::tensor({{10.0F, 0.0F}})));
  EXPECT_FALSE(apply({PutEntity{"wolf", "Wolf", "wild"}})[0].changed);
}

TEST_F(LiveGraphTest, GivesAnEntityOfTheGraphAnotherText) {
  apply({PutEntity{"dog", "Hound", "barks"}});
  EXPECT_EQ(entity("dog"), *graph_.find_entity("dog"));
  EXPECT_EQ(state()->entity_name(entity("dog")), "Hound");
  EXPECT_THAT(state()->hidden(), ElementsAre(entity("dog")));
  // Its training links are told with it: dog is a canine, and has a paw.
  EXPECT_TRUE(torch::equal(vector("dog"), torch::tensor({5.0F, 2.0F})));
  EXPECT_EQ(known("dog", hypernym_, "canine"), Known::train);
}

TEST_F(LiveGraphTest, TakesALinkOfTheGraphAwayAndGivesItBack) {
  apply({RemoveTriple{"dog", "hypernym", "canine"}});
  EXPECT_EQ(known("dog", hypernym_, "canine"), std::nullopt);
  EXPECT_EQ(known("canine", inverse(hypernym_, 2), "dog"), std::nullopt);
  EXPECT_FALSE(apply({RemoveTriple{"dog", "hypernym", "canine"}})[0].changed);
  apply({AddTriple{"dog", "hypernym", "canine"}});
  EXPECT_EQ(known("dog", hypernym_, "canine"), Known::train);
  EXPECT_FALSE(apply({AddTriple{"dog", "hypernym", "canine"}})[0].changed);
}

TEST_F(LiveGraphTest, ForgetsTheLinksOfAnEntityThatIsDeletedAlsoWhenItIsPutAgain) {
  apply({AddTriple{"dog", "part_of", "animal"}, DeleteEntity{"dog"}});
  EXPECT_EQ(state()->find_entity("dog"), std::nullopt);
  EXPECT_EQ(state()->living(), graph_.entities() - 1);
  EXPECT_EQ(state()->added_triples(), 0U);
  std::vector<KnownAnswer> answers;
  state()->known_answers(entity("canine"), inverse(hypernym_, 2), answers);
  EXPECT_THAT(answers, ::testing::SizeIs(1));  // the fox
  EXPECT_TRUE(apply({PutEntity{"dog", "Dog", "again"}})[0].created);
  EXPECT_EQ(entity("dog"), *graph_.find_entity("dog"));
  EXPECT_EQ(known("dog", hypernym_, "canine"), std::nullopt);
  apply({AddTriple{"dog", "hypernym", "canine"}});
  EXPECT_EQ(known("dog", hypernym_, "canine"), Known::live);
}

TEST_F(LiveGraphTest, MakesAllChangesOfACallOrNone) {
  EXPECT_ERROR(apply({PutEntity{"wolf", "Wolf", ""}, AddTriple{"wolf", "hypernym", "nobody"}}),
               "no entity has the id \"nobody\"");
  EXPECT_ERROR(apply({PutEntity{"wolf", "Wolf", ""}, AddTriple{"wolf", "eats", "fox"}}), "no relation has the id");
  EXPECT_EQ(state()->find_entity("wolf"), std::nullopt);
  EXPECT_ERROR(apply({PutEntity{"wolf", "unreadable", ""}}), "this text cannot be read");
  EXPECT_EQ(state()->version(), 0U);
  EXPECT_EQ(live_->journal_bytes(), 0U);
  apply({PutEntity{"wolf", "Wolf", "wild"}});
  EXPECT_TRUE(torch::equal(vector("wolf"), torch::tensor({4.0F, 0.0F})));
}

TEST_F(LiveGraphTest, RefusesTextsWhereNoneAreReadAndChangesWhereItIsOpenToRead) {
  apply({PutEntity{"wolf", "Wolf", "wild"}});
  const auto reading = open(Journal::Access::read);
  EXPECT_TRUE(reading->state()->find_entity("wolf").has_value());
  EXPECT_ERROR(reading->apply(std::vector<Change>{DeleteEntity{"wolf"}}), "it takes no changes");
  LiveGraph without(graph_, known_, dir_ / "other.journal", Journal::Access::write, nullptr);
  EXPECT_ERROR(without.apply(std::vector<Change>{PutEntity{"w", "W", ""}}), "reads no texts");
}

/// Every link there may be, as the state has it.
std::set<std::string> links_of(const LiveState& state) {
  std::set<std::string> links;
  for (EntityId h = 0; h < state.entities(); ++h) {
    if (!state.is_alive(h)) continue;
    for (RelationId r = 0; r < state.graph().num_directed_relations(); ++r) {
      std::vector<KnownAnswer> answers;
      state.known_answers(h, r, answers);
      std::set<EntityId> listed;
      for (const KnownAnswer& answer : answers) {
        EXPECT_TRUE(listed.insert(answer.entity).second);
        EXPECT_EQ(state.known(h, r, answer.entity), answer.known);
        EXPECT_EQ(state.known(answer.entity, inverse(r, state.graph().relations()), h), answer.known);
        links.insert(fmt::format("{} {} {}", state.entity_id(h), r, state.entity_id(answer.entity)));
      }
      EXPECT_EQ(state.bears(h, r), !listed.empty());
    }
  }
  return links;
}

TEST_F(LiveGraphTest, HoldsWhatAPlainSetWouldHoldAfterAnyChangesAndAfterReopening) {
  const RelationId relations = graph_.relations();
  std::vector<std::string> ids;
  std::set<std::string> there, links;
  for (EntityId e = 0; e < graph_.entities(); ++e) ids.emplace_back(graph_.entity_id(e));
  there.insert(ids.begin(), ids.end());
  for (const char* id : {"x", "y", "z"}) ids.emplace_back(id);
  links = links_of(*state());
  const std::size_t links_of_graph = links.size();
  Rng rng(11);
  for (int step = 0; step < 400; ++step) {
    const std::string& a = ids[rng.below(ids.size())];
    const std::string& b = ids[rng.below(ids.size())];
    const auto r = static_cast<RelationId>(rng.below(static_cast<std::uint64_t>(relations)));
    const std::string relation(graph_.relation_id(r));
    const std::set<std::string> twins = {fmt::format("{} {} {}", a, r, b),
                                         fmt::format("{} {} {}", b, r + relations, a)};
    const std::uint64_t kind = rng.below(8);
    if (kind == 0) {
      apply({PutEntity{a, a, std::string(step % 7, 'd')}});
      there.insert(a);
    } else if (kind == 1 && there.contains(a)) {
      apply({DeleteEntity{a}});
      there.erase(a);
      std::erase_if(links, [&](const auto& link) { return link.starts_with(a + " ") || link.ends_with(" " + a); });
    } else if (there.contains(a) && there.contains(b)) {
      if (kind < 5) apply({AddTriple{a, relation, b}});
      if (kind >= 5) apply({RemoveTriple{a, relation, b}});
      for (const std::string& link : twins) kind < 5 ? (void)links.insert(link) : (void)links.erase(link);
    }
    if (step % 100 == 99) {
      EXPECT_EQ(links_of(*state()), links) << step;
      EXPECT_EQ(links_of_graph + 2 * state()->added_triples() - 2 * state()->removed_triples(), links.size());
      const std::vector<EntityId> live = state()->live_entities();
      reopen();
      EXPECT_EQ(links_of(*state()), links) << step;
      EXPECT_EQ(links_of_graph + 2 * state()->added_triples() - 2 * state()->removed_triples(), links.size());
      EXPECT_EQ(state()->live_entities().size(), live.size());
      EXPECT_EQ(state()->living(), static_cast<EntityId>(there.size()));
      for (const EntityId e : state()->live_entities()) {
        const UnseenEntity text = state()->as_unseen(e);
        EXPECT_TRUE(torch::equal(state()->vectors()[state()->row_of(e)], reader_.entity_vectors({&text, 1})[0]));
      }
    }
  }
}

TEST_F(LiveGraphTest, KeepsWhatManyThreadsWriteAtOnce) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        const std::string id = fmt::format("e{}-{}", thread, i);
        apply({PutEntity{id, id, ""}, AddTriple{id, "hypernym", "animal"}});
        EXPECT_TRUE(state()->find_entity(id).has_value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(state()->live_entities().size(), 100U);
  const std::set<std::string> links = links_of(*state());
  reopen();
  EXPECT_EQ(links_of(*state()), links);
}

TEST_F(LiveGraphTest, NeverUsesANumberAgain) {
  apply({PutEntity{"wolf", "Wolf", ""}, AddTriple{"wolf", "hypernym", "canine"}});
  const auto before = state();
  const EntityId wolf = entity("wolf");
  apply({DeleteEntity{"wolf"}, PutEntity{"lynx", "Lynx", ""}, PutEntity{"wolf", "Wolf", "again"}});
  EXPECT_GT(entity("lynx"), wolf);
  EXPECT_GT(entity("wolf"), entity("lynx"));
  EXPECT_FALSE(state()->is_alive(wolf));
  EXPECT_EQ(state()->entity_id(wolf), "");
  EXPECT_EQ(state()->known(wolf, hypernym_, entity("canine")), std::nullopt);
  // Who began to answer before still has it.
  EXPECT_TRUE(before->is_alive(wolf));
  EXPECT_EQ(before->entity_name(wolf), "Wolf");
  EXPECT_EQ(before->known(wolf, hypernym_, entity("canine")), Known::live);
}

TEST_F(LiveGraphTest, FindsAnEntityByItsNewNameAlone) {
  apply({PutEntity{"wolf", "Wolf, grey wolf", ""}});
  EXPECT_THAT(state()->live_entities_called("grey wolf"), ElementsAre(entity("wolf")));
  apply({PutEntity{"wolf", "Wolf", ""}});
  EXPECT_THAT(state()->live_entities_called("grey wolf"), IsEmpty());
  EXPECT_THAT(state()->live_entities_called("wolf"), ElementsAre(entity("wolf")));
  EXPECT_EQ(state()->holdings().names, 1U);
}

TEST_F(LiveGraphTest, HoldsNothingOfWhatWasUndone) {
  apply({PutEntity{"wolf", "Wolf", "a wild dog"}, AddTriple{"wolf", "hypernym", "canine"}});
  const auto one_entity = state()->holdings();
  const auto add_and_delete = [&](int round) {
    std::vector<Change> changes;
    for (int i = 0; i < 50; ++i) {
      const std::string id = fmt::format("e{}-{}", round, i);
      changes.emplace_back(PutEntity{id, "First " + id, "of two names"});
      changes.emplace_back(AddTriple{id, "hypernym", i % 2 == 0 ? "canine" : "wolf"});
      changes.emplace_back(AddTriple{"dog", "part_of", id});
      changes.emplace_back(PutEntity{id, "Second " + id, "of two names"});
    }
    apply(changes);
    changes.clear();
    for (int i = 0; i < 50; ++i) changes.emplace_back(DeleteEntity{fmt::format("e{}-{}", round, i)});
    apply(changes);
  };
  for (int round = 0; round < 20; ++round) add_and_delete(round);
  const std::int64_t before = allocated_bytes();
  for (int round = 20; round < 100; ++round) add_and_delete(round);
  auto holdings = state()->holdings();
  EXPECT_LE(holdings.rows, 512U);
  holdings.rows = one_entity.rows;
  EXPECT_EQ(holdings, one_entity);
  // 4,000 entities, of which each took half a kilobyte when it left something behind.
  EXPECT_LT(allocated_bytes() - before, 500'000);

  apply({AddTriple{"dog", "part_of", "animal"}, RemoveTriple{"dog", "hypernym", "canine"}});
  EXPECT_EQ(state()->holdings().entities, one_entity.entities + 2);  // dog and animal; canine has the wolf
  apply({RemoveTriple{"dog", "part_of", "animal"}, AddTriple{"dog", "hypernym", "canine"}, DeleteEntity{"wolf"}});
  EXPECT_EQ(state()->holdings().entities, 0U);
}

TEST_F(LiveGraphTest, GivesRowsBackAlsoWhenNothingIsRead) {
  std::vector<Change> changes;
  for (int i = 0; i < 300; ++i) changes.emplace_back(PutEntity{fmt::format("e{}", i), "", "text"});
  apply(changes);
  const auto before = state();
  changes.clear();
  for (int i = 0; i < 299; ++i) changes.emplace_back(DeleteEntity{fmt::format("e{}", i)});
  apply(changes);
  EXPECT_THAT(state()->owners(), ElementsAre(entity("e299")));
  EXPECT_TRUE(torch::equal(vector("e299"), torch::tensor({4.0F, 0.0F})));
  EXPECT_EQ(before->vectors().size(0), 300);
  apply({PutEntity{"wolf", "Wolf", "wild dog"}});
  EXPECT_TRUE(torch::equal(state()->vectors(), torch::tensor({{4.0F, 0.0F}, {8.0F, 0.0F}})));
  EXPECT_TRUE(torch::equal(before->vectors(), torch::tensor({4.0F, 0.0F}).expand({300, 2})));
}

TEST_F(LiveGraphTest, GivesUnusedRowsBack) {
  for (int i = 0; i < 300; ++i) apply({PutEntity{"wolf", "Wolf", std::string(static_cast<std::size_t>(i), 'x')}});
  EXPECT_LT(state()->vectors().size(0), 259);
  EXPECT_TRUE(torch::equal(vector("wolf"), torch::tensor({299.0F, 0.0F})));
}

}  // namespace
}  // namespace hasa
