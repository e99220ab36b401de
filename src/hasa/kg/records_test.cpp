#include "hasa/kg/records.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

/// Records as "line:field|field", a fault as "line!fault".
std::vector<std::string> read_all(std::string_view content, RecordFormat format) {
  std::vector<std::string> all;
  RecordReader reader(content, format);
  for (Record record; reader.next(record);) {
    std::string shown = std::to_string(record.line);
    if (record.bad_quoting != nullptr) {
      all.push_back(shown + "!" + record.bad_quoting);
      continue;
    }
    for (std::size_t i = 0; i < std::min(record.count, Record::kMostFields); ++i)
      (shown += i == 0 ? ":" : "|") += record.fields[i];
    all.push_back(record.count > Record::kMostFields ? shown + "|..." : shown);
  }
  return all;
}

TEST(Records, TsvEndsFieldsAtTabsAndLinesAtEitherLineEnd) {
  EXPECT_THAT(read_all("a\tb\tc\nd\t\te\r\n\nf", RecordFormat::tsv), ElementsAre("1:a|b|c", "2:d||e", "3:", "4:f"));
  EXPECT_THAT(read_all("a\tb\t", RecordFormat::tsv), ElementsAre("1:a|b|"));
  EXPECT_THAT(read_all("\"a\tb\"\r", RecordFormat::tsv), ElementsAre("1:\"a|b\""));
  std::string wide = "1";
  for (int i = 2; i <= 40; ++i) wide += "\t" + std::to_string(i);
  EXPECT_THAT(read_all(wide, RecordFormat::tsv), ElementsAre(::testing::EndsWith("|31|32|...")));
  EXPECT_THAT(read_all("a;\"b;c\";d\n", {';', true}), ElementsAre("1:a|b;c|d"));
  EXPECT_THAT(read_all("", RecordFormat::tsv), ElementsAre());
}

TEST(Records, CsvUnderstandsQuotesAsRfc4180HasThem) {
  EXPECT_THAT(read_all("a,\"b,c\",d\r\n\"x\ny\",\"say \"\"hi\"\"\",\nz,,\"\"", RecordFormat::csv),
              ElementsAre("1:a|b,c|d", "2:x\ny|say \"hi\"|", "4:z||"));
  EXPECT_THAT(read_all("a,b,\n", RecordFormat::csv), ElementsAre("1:a|b|"));
  EXPECT_THAT(read_all("\"a\"\r\n\"b\"\r", RecordFormat::csv), ElementsAre("1:a", "2:b"));
  EXPECT_THAT(read_all("a\tb\n\n", RecordFormat::csv), ElementsAre("1:a\tb", "2:"));
}

TEST(Records, CsvLosesOneLineToAStrayQuote) {
  EXPECT_THAT(read_all("a,\"b\nc,d\ne,f\n", RecordFormat::csv),
              ElementsAre("1!a quote that is never closed", "2:c|d", "3:e|f"));
  EXPECT_THAT(read_all("a,\"b\" c\nd,e\n", RecordFormat::csv), ElementsAre("1!text after a closing quote", "2:d|e"));
  EXPECT_THAT(read_all("a,b\"\nd,e\n", RecordFormat::csv),
              ElementsAre("1!a quote inside a field without quotes", "2:d|e"));
}

TEST(Records, PiecesTogetherAreTheWholeAndNeverCutARecord) {
  for (const RecordFormat& format : {RecordFormat::tsv, RecordFormat::csv}) {
    std::string content;
    for (int i = 0; i < 200; ++i) {
      const char* separator = format.quotes ? "," : "\t";
      content += "h" + std::to_string(i) + separator + (format.quotes ? "\"r\n\"\"1\"" : "r") + separator + "t" +
                 (i % 3 == 0 ? "\r\n" : "\n");
    }
    for (const std::size_t bytes : {1, 7, 100, 100000}) {
      std::string joined;
      std::size_t records = 0;
      for (const std::string_view piece : split_between_records(content, format, bytes)) {
        joined += piece;
        records += read_all(piece, format).size();
      }
      EXPECT_EQ(joined, content);
      EXPECT_EQ(records, 200U);
    }
  }
}

TEST(Records, CutsTheByteOrderMarkOff) {
  EXPECT_EQ(without_byte_order_mark("\xEF\xBB\xBF"
                                    "a"),
            "a");
  EXPECT_EQ(without_byte_order_mark("\xEF\xBB"), "\xEF\xBB");
}

}  // namespace
}  // namespace hasa
