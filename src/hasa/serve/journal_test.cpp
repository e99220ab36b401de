#include "hasa/serve/journal.h"

#include <algorithm>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using testing::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kStamp = 42;
using Records = std::vector<std::string>;

Records records_of(const std::filesystem::path& path, Journal::Access access = Journal::Access::read) {
  Records records;
  const Journal journal(path, kStamp, access, [&](std::string_view record) { records.emplace_back(record); });
  return records;
}

Journal writer(const std::filesystem::path& path) {
  return Journal(path, kStamp, Journal::Access::write, [](std::string_view) {});
}

/// Warnings of torn tails are many.
class JournalTest : public ::testing::Test {
 protected:
  JournalTest() { set_log_level(LogLevel::error); }
  ~JournalTest() override { set_log_level(LogLevel::info); }
};

TEST_F(JournalTest, HandsOverWhatWasAppendedInOrder) {
  const TempDir dir;
  EXPECT_THAT(records_of(dir / "j"), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(dir / "j"));
  {
    Journal journal = writer(dir / "j");
    journal.append(Records{"one", ""});
    journal.append(Records{std::string("t\0wo", 4)});
    EXPECT_EQ(journal.bytes(), std::filesystem::file_size(dir / "j"));
  }
  EXPECT_THAT(records_of(dir / "j"), ElementsAre("one", "", std::string("t\0wo", 4)));
  EXPECT_THAT(records_of(dir / "j", Journal::Access::write), ElementsAre("one", "", std::string("t\0wo", 4)));
}

TEST_F(JournalTest, LosesNothingButTheFrameThatAKillLeftHalfWritten) {
  const TempDir dir;
  std::vector<std::uint64_t> ends;
  {
    Journal journal = writer(dir / "j");
    for (const Records& records : {Records{"a"}, Records{"bb", "FRAM"}, Records{"ccc"}}) {
      journal.append(records);
      ends.push_back(journal.bytes());
    }
  }
  const std::string whole = read_file(dir / "j");
  const std::vector<Records> by_frames = {{}, {"a"}, {"a", "bb", "FRAM"}, {"a", "bb", "FRAM", "ccc"}};
  for (std::uint64_t size = 32; size <= whole.size(); ++size) {
    write_file(dir / "torn", whole.substr(0, size));
    const auto whole_before = [&](std::uint64_t end) { return end <= size; };
    const auto frames = static_cast<std::size_t>(std::count_if(ends.begin(), ends.end(), whole_before));
    EXPECT_EQ(records_of(dir / "torn"), by_frames[frames]) << size;
    {
      Journal journal(dir / "torn", kStamp, Journal::Access::write, [](std::string_view) {});
      journal.append(Records{"next"});
    }
    Records expected = by_frames[frames];
    expected.push_back("next");
    EXPECT_EQ(records_of(dir / "torn"), expected) << size;
  }
}

TEST_F(JournalTest, RefusesAFrameThatIsDamagedBeforeWholeOnes) {
  const TempDir dir;
  {
    Journal journal = writer(dir / "j");
    journal.append(Records{"first"});
    journal.append(Records{"second"});
  }
  std::string bytes = read_file(dir / "j");
  bytes[bytes.find("first")] ^= 1;
  write_file(dir / "j", bytes);
  EXPECT_ERROR(records_of(dir / "j"), "is damaged at byte 32: there are changes behind it");
}

TEST_F(JournalTest, RefusesTheFileOfAnotherGraphAndWhatIsNoJournal) {
  const TempDir dir;
  writer(dir / "j").append(Records{"x"});
  EXPECT_ERROR(Journal(dir / "j", kStamp + 1, Journal::Access::read, [](std::string_view) {}), "of another graph");
  const Records kept = [&] {
    Records records;
    Journal(dir / "j", kStamp + 1, Journal::Access::read,
            [&](std::string_view record) { records.emplace_back(record); }, {7, kStamp});
    return records;
  }();
  EXPECT_THAT(kept, ElementsAre("x"));  // of a graph from which this one grew
  write_file(dir / "k", "something else that is long enough to be one");
  EXPECT_ERROR(records_of(dir / "k"), "is no journal of changes");
}

TEST_F(JournalTest, IsWrittenByOneProcessAtATimeAndReadByAny) {
  const TempDir dir;
  Journal journal = writer(dir / "j");
  journal.append(Records{"x"});
  EXPECT_ERROR(writer(dir / "j"), "another process takes changes");
  EXPECT_THAT(records_of(dir / "j"), ElementsAre("x"));
}

TEST_F(JournalTest, IsCompactedWhileRecordsAreAdded) {
  const TempDir dir;
  {
    Journal journal = writer(dir / "j");
    for (int i = 0; i < 100; ++i) journal.append(Records{"long and superseded"});
    const std::uint64_t bytes = journal.bytes();
    journal.append(Records{"meanwhile"});
    journal.compact(bytes, [&](const Journal::Take& put) {
      put("short");
      journal.append(Records{"while it runs"});
    });
    EXPECT_LT(journal.bytes(), bytes);
    journal.append(Records{"after"});
  }
  EXPECT_THAT(records_of(dir / "j"), ElementsAre("short", "meanwhile", "while it runs", "after"));
}

}  // namespace
}  // namespace hasa
