#include "hasa/text/sequence_form.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<std::int32_t>;

constexpr SequenceForm kBert{2, 3, 1, true}, kMpnet{0, 2, 2, false};

/// An input of texts of one piece each, behind what is there: 10, 11, ...
void write(const SequenceForm& form, int texts, Ids& ids, Ids& types) {
  SequenceWriter sequence(form, ids, types);
  for (int i = 0; i < texts; ++i) {
    sequence.begin_text();
    ids.push_back(10 + i);
  }
  sequence.finish();
}

TEST(SequenceForm, WritesOneTextTwoOrThreeAsBertReadsThem) {
  Ids ids, types;
  write(kBert, 1, ids, types);
  write(kBert, 2, ids, types);
  write(kBert, 3, ids, types);
  EXPECT_THAT(ids, ElementsAre(2, 10, 3, /**/ 2, 10, 3, 11, 3, /**/ 2, 10, 3, 11, 3, 12, 3));
  EXPECT_THAT(types, ElementsAre(0, 0, 0, /**/ 0, 0, 0, 1, 1, /**/ 0, 0, 0, 1, 1, 0, 0));
}

TEST(SequenceForm, PutsTwoSeparatorsAndNoTypesBetweenMpnetsTexts) {
  Ids ids, types;
  write(kMpnet, 2, ids, types);
  write(kMpnet, 3, ids, types);
  EXPECT_THAT(ids, ElementsAre(0, 10, 2, 2, 11, 2, /**/ 0, 10, 2, 2, 11, 2, 2, 12, 2));
  EXPECT_EQ(types, Ids(ids.size(), 0));
}

TEST(SequenceForm, CountsItsSpecialTokens) {
  for (const SequenceForm& form : {kBert, kMpnet}) {
    for (int texts = 1; texts <= 3; ++texts) {
      Ids ids, types;
      write(form, texts, ids, types);
      EXPECT_EQ(ids.size(), form.special_tokens(static_cast<std::size_t>(texts)) + static_cast<std::size_t>(texts));
    }
  }
}

}  // namespace
}  // namespace hasa
