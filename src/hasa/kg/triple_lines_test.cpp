#include "hasa/kg/triple_lines.h"

#include "hasa/base/testing.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

struct Read {
  Vocabulary entities, relations;
  LineProblems problems;
  std::vector<Triple> triples;

  explicit Read(std::string_view content, RecordFormat format = RecordFormat::tsv, bool header = false)
      : triples(read_triple_lines({"f", content}, format, header, entities, relations, problems)) {}
};

TEST(TripleLines, NumberIdsInTheOrderTheyAppear) {
  const Read read("dog\tis\tcanine\nfox\tis\tcanine\npaw\tof\tdog");
  EXPECT_THAT(read.triples, ::testing::ElementsAre(Triple{0, 0, 1}, Triple{2, 0, 1}, Triple{3, 1, 0}));
  EXPECT_EQ(read.entities[3], "paw");
}

TEST(TripleLines, LeaveTheHeaderOutWhenTold) {
  EXPECT_EQ(Read("head,relation,tail\na,r,b\n", RecordFormat::csv, true).triples.size(), 1U);
  EXPECT_EQ(Read("head,relation,tail\na,r,b\n", RecordFormat::csv, false).triples.size(), 2U);
  EXPECT_ERROR(Read("head,relation,tail\n", RecordFormat::csv, true), "f has no lines of head");
}

TEST(TripleLines, TakeIdsOutOfQuotes) {
  const Read read("\"a, \"\"x\"\"\",r,b\nb,r,\"a, \"\"x\"\"\"\n", RecordFormat::csv);
  EXPECT_EQ(read.entities[0], "a, \"x\"");
  EXPECT_EQ(read.triples[1], (Triple{1, 0, 0}));
}

TEST(TripleLines, CountBadLinesFromTheByteOrderMarkOn) {
  const Read read(
      "\xEF\xBB\xBF"
      "a\tr\tb\r\nbad\r\na\tr\tc\r\n");
  EXPECT_EQ(read.triples.size(), 2U);
  EXPECT_EQ(read.entities[2], "c");
  EXPECT_THAT(read.problems.settle(BadLines::skip).examples.at(0), ::testing::StartsWith("f:2: "));
}

TEST(TripleLines, AreTheSameWhateverTheThreadsAndPieces) {
  // Long ids, so that the file is cut into a dozen pieces, with a bad line near its end.
  std::string content;
  const std::string padding(400, 'x');
  SyntheticOptions options;
  options.triples = 60000;
  for_each_synthetic(options, [&](const Triple& t) {
    content += padding + std::to_string(t.head) + "\tr" + std::to_string(t.relation) + "\t" + padding +
               std::to_string(t.tail) + "\n";
  });
  content += "bad\n";
  set_thread_count(1);
  const Read alone(content);
  set_thread_count(5);
  const Read together(content);
  set_thread_count(0);
  EXPECT_EQ(alone.triples, together.triples);
  EXPECT_EQ(alone.triples.size(), 60000U);
  EXPECT_EQ(alone.entities.size(), together.entities.size());
  for (std::size_t i = 0; i < alone.entities.size(); ++i) ASSERT_EQ(alone.entities[i], together.entities[i]);
  EXPECT_THAT(together.problems.settle(BadLines::skip).examples.at(0), ::testing::StartsWith("f:60001: "));
}

}  // namespace
}  // namespace hasa
