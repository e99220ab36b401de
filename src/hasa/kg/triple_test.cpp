#include "hasa/kg/triple.h"

#include <gtest/gtest.h>

namespace hasa {
namespace {

TEST(Triple, InverseSwapsTheEndsAndShiftsTheRelation) { EXPECT_EQ(inverse(Triple{3, 1, 7}, 5), (Triple{7, 6, 3})); }

TEST(Triple, InverseOfTheInverseIsTheTripleItself) {
  const Triple triple{3, 4, 7};
  EXPECT_EQ(inverse(inverse(triple, 5), 5), triple);
}

TEST(Triple, WithInversesGivesEveryFactFromBothEnds) {
  const std::vector<Triple> triples{{3, 1, 7}, {0, 0, 0}};
  EXPECT_EQ(with_inverses(triples, 5), (std::vector<Triple>{{3, 1, 7}, {0, 0, 0}, {7, 6, 3}, {0, 5, 0}}));
}

}  // namespace
}  // namespace hasa
