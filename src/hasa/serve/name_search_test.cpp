#include "hasa/serve/name_search.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Entities n0, n1, ... of these names; the later ones have more links.
Graph named(const std::vector<std::string>& names) {
  std::string triples, texts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    texts += "n" + std::to_string(i) + "\t" + names[i] + "\ta text\n";
    for (std::size_t k = 0; k <= i; ++k) triples += "n" + std::to_string(i) + "\tr" + std::to_string(k) + "\tn0\n";
  }
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  return parse_triples({"t.tsv", triples}, NamedText{"x.tsv", texts}, options, std::nullopt);
}

std::vector<EntityId> found(const NameSearch& search, const std::string& wanted, std::size_t limit = 10) {
  std::vector<EntityId> entities;
  for (const auto& hit : search.search(wanted, limit)) entities.push_back(hit.entity);
  return entities;
}

TEST(NameFit, PrefersWholeNamesToBeginningsAndThoseToLaterWords) {
  EXPECT_EQ(name_fit("dog, domestic dog", "dog"), NameFit::whole);
  EXPECT_EQ(name_fit("dog, domestic dog", "dog, domestic dog"), NameFit::whole);
  EXPECT_EQ(name_fit("dog, domestic dog", "dom"), NameFit::beginning);
  EXPECT_EQ(name_fit("hot dog", "dog"), NameFit::later_word);
  EXPECT_EQ(name_fit("golden brown retriever", "gol ret"), NameFit::all_words);
  EXPECT_EQ(name_fit("bulldog", "dog"), NameFit::none);
}

TEST(NameSearch, OrdersByFitThenByLinks) {
  const Graph graph = named({"hub", "dog", "hot dog", "dogma", "dogfish", "bulldog", "DOG, hound"});
  const NameSearch search(graph);
  EXPECT_THAT(found(search, "dog"), ElementsAre(6, 1, 4, 3, 2));
  EXPECT_THAT(found(search, "hound"), ElementsAre(6));
  EXPECT_THAT(found(search, "n3"), ElementsAre(3));
  EXPECT_THAT(found(search, "cat"), IsEmpty());
  EXPECT_THAT(found(search, ""), IsEmpty());
}

TEST(NameSearch, TellsNamesApartBeyondTheirFirstEightLetters) {
  const Graph graph = named({"hub", "electromagnet", "electromagnetic wave", "electromotive force", "electron"});
  const NameSearch search(graph);
  EXPECT_THAT(found(search, "electromagnet"), ElementsAre(1, 2));
  EXPECT_THAT(found(search, "electromo"), ElementsAre(3));
  EXPECT_THAT(found(search, "electrom"), ElementsAre(3, 2, 1));
  EXPECT_THAT(found(search, "wave electro"), ElementsAre(2));
}

TEST(NameSearch, FindsWhoIsCalledSo) {
  const Graph graph = named({"hub", "Bat, flying mouse", "bat", "bat and ball"});
  const NameSearch search(graph);
  EXPECT_THAT(search.called("bat").listed, ElementsAre(1, 2));
  EXPECT_THAT(search.called("flying mouse").listed, ElementsAre(1));
  EXPECT_THAT(search.called("bat, flying mouse").whole, ElementsAre(1));
  EXPECT_THAT(search.called("n3").whole, ElementsAre(3));
  EXPECT_THAT(search.called("ba").listed, IsEmpty());
  EXPECT_THAT(search.beginning_alike("bta"), IsEmpty());
  EXPECT_THAT(search.beginning_alike("baat"), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace hasa
