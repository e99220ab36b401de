#include "hasa/negative/corruption.h"

#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

/// Entities in this order: a b c d e; relations r s.
Graph graph() {
  return parse_benchmark({"small",
                          {"train.txt", "a\tr\tb\na\tr\tc\nb\ts\tc\nd\tr\te\n"},
                          {"valid.txt", "a\tr\td\n"},
                          {"test.txt", "a\tr\te\n"},
                          {},
                          {}});
}

std::set<Triple> many(const auto& draw) {
  std::set<Triple> found;
  for (std::uint64_t i = 0; i < 500; ++i) {
    Rng rng(i);
    if (const auto made = draw(rng)) found.insert(*made);
  }
  return found;
}

TEST(Corruption, ReplacesOneEndByAnyEntityThatMakesNoKnownTriple) {
  const Graph g = graph();
  const KnownAnswers known = KnownAnswers::of_all_splits(g);
  const Corruption corruption(known, g.entities(), g.relations());
  // (a r ?) is known of b c d e: of tails only a is left. (? r b) is known of a alone.
  const std::set<Triple> expected = {{0, 0, 0}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}, {4, 0, 1}};
  EXPECT_EQ(many([&](Rng& rng) { return corruption.of_an_end({0, 0, 1}, rng); }), expected);
}

TEST(Corruption, DrawsFromTheEndsOfTheRelationIfGiven) {
  const Graph g = graph();
  const KnownAnswers known = KnownAnswers::of_all_splits(g);
  const Corruption corruption(known, g.entities(), g.relations());
  const Corruption::Ends ends(g.triples(Split::train), g.relations());
  // Heads of r in training are a and d, tails b, c and e.
  const std::set<Triple> found = many([&](Rng& rng) { return corruption.of_an_end({3, 0, 4}, ends, rng); });
  // (a r e) is known, from the test split.
  EXPECT_EQ(found, (std::set<Triple>{{3, 0, 1}, {3, 0, 2}}));
}

TEST(Corruption, ReplacesTheRelation) {
  const Graph g = graph();
  const KnownAnswers known = KnownAnswers::of_all_splits(g);
  const Corruption corruption(known, g.entities(), g.relations());
  EXPECT_EQ(many([&](Rng& rng) { return corruption.of_the_relation({0, 0, 1}, rng); }), (std::set<Triple>{{0, 1, 1}}));
}

TEST(Corruption, MakesNothingWhereEverythingIsKnown) {
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  const Graph g = parse_triples({"t.tsv", "a\tr\ta\na\tr\tb\nb\tr\ta\nb\tr\tb\n"}, {}, options);
  const KnownAnswers known = KnownAnswers::of_training(g);
  Rng rng(1);
  EXPECT_FALSE(Corruption(known, g.entities(), g.relations()).of_an_end({0, 0, 1}, rng).has_value());
}

}  // namespace
}  // namespace hasa
