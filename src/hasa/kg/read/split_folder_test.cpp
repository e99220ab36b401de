#include "hasa/kg/read/split_folder.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/kg/import_graph.h"

namespace hasa {
namespace {

TEST(SplitFolder, ReadsSplitsOfAnyFormatWithTheirTexts) {
  const testing::TempDir folder;
  write_file(folder / "train.csv", "head,relation,tail\na,r,b\nb,r,c\n");
  write_file(folder / "dev.jsonl", "{\"head\": \"a\", \"relation\": \"r\", \"tail\": \"c\"}\n");
  write_file(folder / "test.tsv", "c\tr\ta\n");
  write_file(folder / "entities.tsv", "c\tCee\tthe third\nidle\tnobody\tin no triple\n");
  write_file(folder / "relations.csv", "id,words\nr,\"leads, in the end, to\"\n");
  write_file(folder / "README.md", "not a file of triples");
  ASSERT_EQ(import_source({folder.path().string()}), ImportSource::splits);
  const Graph graph = read_split_folder(folder.path());
  EXPECT_EQ(graph.entities(), 4);  // what entities.tsv lists is a member, and numbered first
  EXPECT_EQ(graph.entity_id(0), "c");
  EXPECT_EQ(graph.entity_name(1), "nobody");
  EXPECT_EQ(graph.relation_text(0), "leads, in the end, to");
  EXPECT_EQ(graph.triples(Split::train).size(), 2U);
  EXPECT_EQ(graph.triples(Split::valid)[0], (Triple{2, 0, 0}));
}

TEST(SplitFolder, IsNoneWithoutAllThree) {
  const testing::TempDir folder;
  write_file(folder / "train.nt", "<http://a> <http://r> <http://b> .\n");
  write_file(folder / "test.nt", "<http://a> <http://r> <http://b> .\n");
  EXPECT_FALSE(looks_like_split_folder(folder.path()));
  EXPECT_ERROR(read_split_folder(folder.path()), "has no valid file");
  write_file(folder / "valid.nt.gz", "");
  EXPECT_TRUE(looks_like_split_folder(folder.path()));
  EXPECT_TRUE(read_split_folder(folder.path()).triples(Split::valid).empty());
  write_file(folder / "train.nt", "");
  EXPECT_ERROR(read_split_folder(folder.path()), "train.nt is empty");
}

TEST(SplitFolder, TakesABlankNodeForTheSameInAllItsFiles) {
  const testing::TempDir folder;
  write_file(folder / "train.nt", "_:x <http://r> <http://b> .\n");
  write_file(folder / "valid.nt", "<http://b> <http://r> _:x .\n");
  write_file(folder / "test.nt", "_:x <http://r> _:x .\n");
  EXPECT_EQ(read_split_folder(folder.path()).entities(), 2);
}

}  // namespace
}  // namespace hasa
