#include "hasa/kg/read/sniff.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Sniff, BelievesTheNameOfAFileThatLooksLikeIt) {
  EXPECT_EQ(sniff_delimited("t.tsv", "a\tr\tb\n", {}).as.format, RecordFormat::tsv);
  EXPECT_EQ(sniff_delimited("t.csv", "a,r,b\n", {}).as.format, RecordFormat::csv);
  EXPECT_EQ(sniff_delimited("t.csv.gz", "a,r,b\n", {}).as.format, RecordFormat::csv);
  EXPECT_THAT(sniff_delimited("t.tsv", "a\tr\tb\n", {}).said, IsEmpty());
  // One good line in two is enough: the others are mistakes to be told.
  EXPECT_EQ(sniff_delimited("t.tsv", "a\tr\tb\na,r,b\n", {}).as.format, RecordFormat::tsv);
}

TEST(Sniff, FindsTheSeparatorThatTheLinesAgreeOn) {
  const Sniffed semicolons = sniff_delimited("t.csv", "a;r;b\nc;r;\"d;e\"\n", {});
  EXPECT_EQ(semicolons.as.format, (RecordFormat{';', true}));
  EXPECT_THAT(semicolons.said, ElementsAre(HasSubstr("separated by semicolons")));
  EXPECT_EQ(sniff_delimited("t.txt", "a,r,b\nc,r,d\n", {}).as.format, RecordFormat::csv);
  EXPECT_EQ(sniff_delimited("t.txt", "a r b\nc r d\n", {}).as.format, (RecordFormat{' ', false}));
  EXPECT_EQ(sniff_delimited("t.txt", "a|r|b\n", {}).as.format.separator, '|');
  EXPECT_EQ(sniff_delimited("t.csv", "a;r;b\n", {.separator = ','}).as.format, RecordFormat::csv);
}

TEST(Sniff, FindsAHeaderAndItsColumns) {
  const Sniffed sniffed = sniff_delimited("t.csv", "weight,Target,source_id,Predicate\n1,b,a,r\n", {});
  EXPECT_TRUE(sniffed.as.header);
  EXPECT_EQ(sniffed.as.head, 2U);
  EXPECT_EQ(sniffed.as.relation, 3U);
  EXPECT_EQ(sniffed.as.tail, 1U);
  EXPECT_EQ(sniffed.as.fields, 4U);
  EXPECT_THAT(sniffed.said, ElementsAre(HasSubstr("its first line names the columns")));
  EXPECT_FALSE(sniff_delimited("t.csv", "head,relation,tail\n", {.header = false}).as.header);
  EXPECT_FALSE(sniff_delimited("t.csv", "a,r,b\n", {}).as.header);
}

TEST(Sniff, WarnsOfAFirstLineThatLooksLikeAHeader) {
  std::string content = "person,verb,thing\n";
  for (int i = 0; i < 20; ++i) content += fmt::format("p{},{},t{}\n", i, i % 2 == 0 ? "likes" : "owns", i);
  EXPECT_THAT(sniff_delimited("t.csv", content, {}).warning, ElementsAre(HasSubstr("looks like a header")));
  EXPECT_THAT(sniff_delimited("t.csv", content + "x,verb,y\n", {}).warning, IsEmpty());
}

TEST(Sniff, TakesColumnsAsTheUserNamesThem) {
  const Sniffed by_number = sniff_delimited("t.tsv", "a\tx\tr\tb\n", {.columns = "1,3,4"});
  EXPECT_EQ(by_number.as.relation, 2U);
  EXPECT_EQ(by_number.as.fields, 4U);
  const DelimitedWishes by_name{.header = true, .columns = "who,what,whom"};
  EXPECT_EQ(sniff_delimited("t.tsv", "what\twho\twhom\n", by_name).as.head, 1U);
  EXPECT_ERROR(sniff_delimited("t.tsv", "wat\twho\twhom\n", by_name), "no column \"what\"; did you mean wat?");
  EXPECT_ERROR(sniff_delimited("t.tsv", "a\tr\tb\n", {.columns = "1,2,4"}), "names column 4, and there are 3");
  EXPECT_ERROR(sniff_delimited("t.tsv", "a\tr\tb\n", {.columns = "1,2"}), "expected those of head, relation and tail");
}

TEST(Sniff, ReadsAFourthColumnOfDatesAsTheTime) {
  const Sniffed dates = sniff_delimited("t.tsv", "a\tr\tb\t2014-05-01\nc\tr\td\t2014\n", {});
  EXPECT_EQ(dates.as.time, 3U);
  EXPECT_EQ(dates.as.time_form, TimeForm::date);
  // Numbers may be anything: they must be asked for.
  EXPECT_FALSE(sniff_delimited("t.tsv", "a\tr\tb\t12\n", {}).as.time.has_value());
  EXPECT_EQ(sniff_delimited("t.tsv", "a\tr\tb\t12\n", {.columns = "1,2,3,4"}).as.time_form, TimeForm::number);
}

TEST(Sniff, TakesQuotesFromATsvFileOnlyWhereAllFieldsHaveThem) {
  EXPECT_TRUE(sniff_delimited("t.tsv", "\"a\"\t\"r\"\t\"b\"\n", {}).as.format.quotes);
  EXPECT_FALSE(sniff_delimited("t.tsv", "\"a\"\t\"r\"\tb\n", {}).as.format.quotes);
}

TEST(Sniff, KnowsKgtkByItsHeader) {
  EXPECT_TRUE(sniff_delimited("t.tsv", "id\tnode1\tlabel\tnode2\nE1\ta\tr\tb\n", {}).as.kgtk);
}

}  // namespace
}  // namespace hasa
