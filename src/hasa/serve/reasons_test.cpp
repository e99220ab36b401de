#include "hasa/serve/reasons.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

using hasa::testing::SmallBenchmark;

class ReasonsJson : public ::testing::Test {
 protected:
  EntityId entity(const char* id) const { return *graph.find_entity(id); }

  Graph graph = SmallBenchmark().read();  // relations: is a kind of, is part of
  KnownLinks known{graph};
  LiveState state{graph, known};
};

TEST_F(ReasonsJson, NamesEntitiesAndTheWayEachLinkPoints) {
  Reasons reasons{.judgement = {.score = .5F, .probability = .75, .known = std::nullopt}};
  reasons.paths.push_back({{{entity("paw"), 1, entity("dog")}, {entity("dog"), 2, entity("fox")}}, .25});
  const auto json = to_json(reasons, state, 0);
  EXPECT_EQ(json["score"], .5);
  EXPECT_EQ(json["probability"], .75);
  EXPECT_TRUE(json["known"].is_null());
  const auto& path = json["paths"][0];
  EXPECT_EQ(path["text"], "paw -is part of-> Dog -reverse of is a kind of-> Fox");
  EXPECT_EQ(path["steps"][0]["direction"], "out");
  EXPECT_EQ(path["steps"][1]["direction"], "in");
  EXPECT_EQ(path["steps"][1]["relation"], "hypernym");
  EXPECT_EQ(path["steps"][1]["to"]["name"], "Fox");
}

TEST_F(ReasonsJson, TellsWordsOfTheHeadFromThoseOfTheTailWhicheverWasGiven) {
  Reasons reasons;
  reasons.words = {{"given", 1, false}, {"found", 2, true}};
  const auto tail_asked = to_json(reasons, state, 0)["words"], head_asked = to_json(reasons, state, 2)["words"];
  EXPECT_EQ(tail_asked[0]["of"], "head");
  EXPECT_EQ(tail_asked[1]["of"], "tail");
  EXPECT_EQ(head_asked[0]["of"], "tail");
  EXPECT_EQ(head_asked[1]["of"], "head");
}

TEST_F(ReasonsJson, WritesAFactAsASentence) {
  Reasons reasons;
  reasons.facts = {{{entity("fox"), 0, entity("canine")}, .9}};
  const auto fact = to_json(reasons, state, 0)["facts"][0];
  EXPECT_EQ(fact["text"], "Fox — is a kind of → canine");
  EXPECT_EQ(fact["tail"]["id"], "canine");
}

}  // namespace
}  // namespace hasa
