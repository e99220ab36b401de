#include "hasa/base/row_journal.h"

#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using testing::TempDir;

/// Not synced to the disk, as write_file does: there are hundreds.
void put(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

constexpr std::size_t kRows = 6, kWidth = 2;

/// What a journal finds, -1 for rows it lacks.
struct Opened {
  explicit Opened(const std::filesystem::path& path, std::uint64_t stamp = 1)
      : matrix(kRows * kWidth, -1), journal(std::in_place, path, stamp, kWidth, matrix) {}
  void add(std::int64_t row, float value) {
    const std::vector<float> values(kWidth, value);
    journal->add(std::span(&row, 1), values);
  }
  std::vector<float> firsts() const {
    std::vector<float> list;
    for (std::size_t row = 0; row < kRows; ++row) list.push_back(matrix[row * kWidth]);
    return list;
  }

  std::vector<float> matrix;
  std::optional<RowJournal> journal;
};

TEST(RowJournal, ReturnsTheAddedRowsAndContinues) {
  const TempDir dir;
  {
    Opened first(dir / "a");
    EXPECT_EQ(first.journal->found(), 0U);
    first.add(4, 40);
    first.add(1, 10);
  }
  {
    Opened second(dir / "a");
    EXPECT_THAT(second.firsts(), ::testing::ElementsAre(-1, 10, -1, -1, 40, -1));
    EXPECT_TRUE(second.journal->has(4) && second.journal->has(1));
    EXPECT_FALSE(second.journal->has(0));
    second.add(0, 5);
    EXPECT_TRUE(second.journal->keeps());
  }
  EXPECT_THAT(Opened(dir / "a").firsts(), ::testing::ElementsAre(5, 10, -1, -1, 40, -1));
}

TEST(RowJournal, StartsOverIfTheRowsAreOfOtherInputs) {
  const TempDir dir;
  Opened(dir / "a", 1).add(2, 20);
  EXPECT_EQ(Opened(dir / "a", 2).journal->found(), 0U);
  EXPECT_EQ(Opened(dir / "a", 1).journal->found(), 0U);
}

TEST(RowJournal, KeepsTheWholeBlocksOfAFileCutAnywhere) {
  const TempDir dir;
  {
    Opened journal(dir / "a");
    journal.add(0, 1);
    journal.add(1, 2);
  }
  const std::string whole = read_file(dir / "a");
  const std::size_t block = 16 + 8 + kWidth * 4, header = whole.size() - 2 * block;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(dir / "a", whole.substr(0, size));
    Opened cut(dir / "a");
    EXPECT_EQ(cut.journal->found(), size < header + block ? 0U : 1U) << size;
    cut.add(5, 50);  // goes where the half block was
    EXPECT_EQ(Opened(dir / "a").firsts()[5], 50) << size;
  }
}

TEST(RowJournal, GivesNoRowOfABlockInWhichABitWasFlipped) {
  const TempDir dir;
  {
    Opened journal(dir / "a");
    journal.add(3, 30);
  }
  const std::string whole = read_file(dir / "a");
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    put(dir / "a", flipped);
    EXPECT_THAT(Opened(dir / "a").firsts(), ::testing::Each(-1)) << bit;
  }
}

TEST(RowJournal, TakesRowsFromSeveralThreads) {
  const TempDir dir;
  {
    Opened journal(dir / "a");
    std::vector<std::thread> threads;
    for (std::int64_t row = 0; row < 6; ++row) {
      threads.emplace_back([&journal, row] { journal.add(row, static_cast<float>(row)); });
    }
    for (std::thread& each : threads) each.join();
  }
  EXPECT_THAT(Opened(dir / "a").firsts(), ::testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(RowJournal, KeepsNothingWhereItCannotWriteAndIsNoError) {
  const TempDir dir;
  Opened journal(dir.path() / "none" / "a");
  journal.add(0, 1);
  EXPECT_FALSE(journal.journal->keeps());
  EXPECT_EQ(journal.journal->found(), 0U);
}

}  // namespace
}  // namespace hasa
