#include "hasa/kg/wordnet.h"

#include <fstream>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr const char* kNouns =
    "  1 This software and database is being provided to you\n"
    "00000001 05 n 02 animal 0 living_being 0 001 ~ 00000002 n 0000 | a being that moves  \n"
    "00000002 05 n 03 dog 0 domestic_dog 0 Canis 0 004 @ 00000001 n 0000 + 00000001 v 0101 + 00000001 v 0102 "
    "#p 00000004 n 0000 | a tame canine; \"he patted it\"  \n"
    "00000003 05 n 01 lonely 0 000 | no links  \n"
    "00000004 14 n 01 pack 0 001 ! 00000002 n 0101 | a group  \n";

void write_wordnet(const testing::TempDir& folder, const std::string& nouns = kNouns) {
  std::ofstream(folder / "data.noun") << nouns;
  std::ofstream(folder / "data.verb") << "00000001 30 v 01 dog 0 001 + 00000002 n 0101 01 + 08 00 | follow  \n";
  std::ofstream(folder / "data.adj") << "00000001 00 s 01 doggy(p) 0 001 \\ 00000002 n 0101 | like a dog  \n";
  std::ofstream(folder / "data.adv") << "00000001 02 r 01 doggedly 0 001 \\ 00000001 a 0101 | with doggedness  \n";
}

std::vector<std::string> facts(const Graph& graph) {
  std::vector<std::string> facts;
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split))
      facts.push_back(
          fmt::format("{} {} {}", graph.entity_id(t.head), graph.relation_text(t.relation), graph.entity_id(t.tail)));
  }
  return facts;
}

TEST(Wordnet, ReadsADomainAlone) {
  const testing::TempDir folder;
  write_wordnet(folder);
  const Graph graph = read_wordnet(folder.path(), {"animal", {}});
  EXPECT_THAT(facts(graph), ::testing::ElementsAre("n00000002 hypernym n00000001"));
  ASSERT_EQ(graph.entities(), 2);
  EXPECT_EQ(graph.entity_name(1), "dog, domestic dog");
  EXPECT_EQ(graph.entity_description(1), "a tame canine; \"he patted it\"");
  EXPECT_EQ(graph.audit().source, "wordnet animal");
}

TEST(Wordnet, ReadsAllPartsOfSpeech) {
  const testing::TempDir folder;
  write_wordnet(folder);
  const Graph graph = read_wordnet(folder.path());
  EXPECT_THAT(facts(graph), ::testing::UnorderedElementsAre(
                                "n00000002 hypernym n00000001", "n00000002 derivationally related form v00000001",
                                "n00000002 part of n00000004", "n00000004 antonym n00000002",
                                "v00000001 derivationally related form n00000002", "a00000001 pertains to n00000002",
                                "r00000001 pertains to a00000001"));
  EXPECT_EQ(graph.entity_name(graph.find_entity("a00000001").value()), "doggy");
}

TEST(Wordnet, SaysWhatToInstallOrWhatToAskFor) {
  EXPECT_ERROR(read_wordnet("/nowhere"), "install the system package wordnet-base");
  EXPECT_ERROR(read_wordnet("/nowhere", {"animals", {}}), "no lexical domain animals; did you mean animal?");
}

TEST(Wordnet, NamesTheLineItCannotRead) {
  for (const char* line : {"00000001 05 n 02 animal 0\n", "00000001 05 n zz | gloss\n", "00000001 05 n 02 animal | x\n",
                           "00000001 05 n 01 animal 0 001 @ | x\n", "\n", "\xFF | x\n",
                           "0000000x 05 n 01 animal 0 000 | x\n", "00000009 05 n 01 animal 0 001 @  n 0000 | x\n"}) {
    const testing::TempDir folder;
    write_wordnet(folder, std::string(kNouns) + line);
    EXPECT_ERROR(read_wordnet(folder.path()), "data.noun:6: ");
  }
}

TEST(Wordnet, RefusesASynsetThatIsThereTwice) {
  const testing::TempDir folder;
  write_wordnet(folder, std::string(kNouns) + "00000002 05 n 01 cat 0 001 @ 00000001 n 0000 | another  \n");
  EXPECT_ERROR(read_wordnet(folder.path()), "data.noun:6: the synset n00000002 is there twice");
}

TEST(Wordnet, HasTheAnimalsOfTheSystem) {
  if (!std::filesystem::exists(kSystemWordnet / "data.noun")) GTEST_SKIP() << "wordnet-base is not installed";
  const Graph graph = read_wordnet(kSystemWordnet, {"animal", {}});
  EXPECT_EQ(graph.entities(), 7408);
  std::size_t triples = 0;
  for (const Split split : kSplits) triples += graph.triples(split).size();
  EXPECT_EQ(triples, 12971U);
  EXPECT_EQ(graph.audit().unseen_entities.count, 0U);
  EXPECT_EQ(graph.entity_name(graph.find_entity("n02084071").value()), "dog, domestic dog");
}

TEST(Wordnet, IsWholeInTheSystem) {
  if (!std::filesystem::exists(kSystemWordnet / "data.adv")) GTEST_SKIP() << "wordnet-base is not installed";
  const Graph graph = read_wordnet();
  EXPECT_GT(graph.entities(), 110000);
  EXPECT_EQ(graph.relations(), 18);
  EXPECT_EQ(graph.audit().without_text.count, 0U);
}

}  // namespace
}  // namespace hasa
