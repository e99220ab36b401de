#include "hasa/kg/read/numbered_folder.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// A folder as OpenKE's own benchmarks have it.
struct OpenKeFolder {
  testing::TempDir folder;

  OpenKeFolder() {
    write("entity2id.txt", "3\n/m/01\t0\n/m/03 x\t2\n/m/02\t1\n");
    write("relation2id.txt", "1\n/film/in\t0\n");
    write("train2id.txt", "2\n0 1 0\n1\t2 0\n");
    write("valid2id.txt", "1\n2 0 0\n");
    write("test2id.txt", "1\n0 2 0\n");
  }
  void write(const char* name, std::string_view text) { write_file(folder / name, text); }
  Graph read() const { return read_numbered_folder(folder.path(), NumberedLayout::openke); }
};

TEST(NumberedFolder, ReadsOpenKesHeadTailRelation) {
  const OpenKeFolder small;
  EXPECT_EQ(numbered_layout(small.folder.path()), NumberedLayout::openke);
  const Graph graph = small.read();
  EXPECT_EQ(graph.entity_id(2), "/m/03 x");
  EXPECT_EQ(graph.triples(Split::train)[1], (Triple{1, 0, 2}));
}

TEST(NumberedFolder, StopsAtNumbersThatWouldMoveOthers) {
  OpenKeFolder small;
  small.write("entity2id.txt", "3\na\t0\nb\t2\n");
  EXPECT_ERROR(small.read(), "no entity has number 1");
  small.write("entity2id.txt", "3\na\t0\nb\t0\n");
  EXPECT_ERROR(small.read(), "entity2id.txt:3: expected a name and its number, found a number that was given before");
  small.write("entity2id.txt", "3\na\t0\nb\tx\n");
  EXPECT_ERROR(small.read(), "found no number: \"b<TAB>x\"");
  small.write("entity2id.txt", "a\t0\n");
  EXPECT_ERROR(small.read(), "entity2id.txt:1: expected the number of lines that follow");
}

TEST(NumberedFolder, NamesTriplesOfNumbersThatAreNotThere) {
  OpenKeFolder small;
  small.write("test2id.txt", "2\n0 2 0\n0 3 0\n-1 0 0\nx\n");
  try {
    small.read();
    FAIL();
  } catch (const Error& error) {
    const std::string said = error.what();
    for (const char* part :
         {"test2id.txt:3: expected the numbers of head, tail and relation, found a number beyond the 3 "
          "entities or 1 relations: \"0 3 0\"",
          "test2id.txt:4:",
          "test2id.txt:5: expected the numbers of head, tail and relation, found "
          "something else: \"x\""})
      EXPECT_THAT(said, ::testing::HasSubstr(part));
  }
}

}  // namespace
}  // namespace hasa
