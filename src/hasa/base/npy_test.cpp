#include "hasa/base/npy.h"

#include <string>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using Shape = std::vector<std::int64_t>;

/// A header line of 118 bytes, as numpy.save pads it.
std::string padded(std::string header) {
  header.resize(117, ' ');
  return header + "\n";
}

// What numpy.save of NumPy 2 writes for these arrays.
TEST(WriteNpy, WritesAMatrixOfFloatsAsNumPyDoes) {
  const testing::TempDir dir;
  const std::vector<float> values{0, 1, 2, 3, 4, 5};
  write_npy(dir / "a.npy", std::span<const float>(values), Shape{2, 3});
  EXPECT_EQ(read_file(dir / "a.npy"), std::string("\x93NUMPY\x01\x00v\x00", 10) +
                                          padded("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }") +
                                          std::string("\0\0\0\0\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@", 24));
}

TEST(WriteNpy, WritesAVectorOfIntegersAsNumPyDoes) {
  const testing::TempDir dir;
  const std::vector<std::int64_t> values{1, -2};
  write_npy(dir / "a.npy", std::span<const std::int64_t>(values), Shape{2});
  EXPECT_EQ(read_file(dir / "a.npy"), std::string("\x93NUMPY\x01\x00v\x00", 10) +
                                          padded("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }") +
                                          std::string("\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 16));
}

TEST(WriteNpy, BeginsTheDataAtAMultipleOf64ForAShapeOfAnyLength) {
  const testing::TempDir dir;
  const std::vector<float> value{1};
  for (std::size_t rank = 0; rank < 40; ++rank) {
    write_npy(dir / "a.npy", std::span<const float>(value), Shape(rank, 1));
    const std::string bytes = read_file(dir / "a.npy");
    ASSERT_EQ((bytes.size() - sizeof(float)) % 64, 0U) << rank;
    EXPECT_EQ(bytes[bytes.size() - sizeof(float) - 1], '\n');
    const auto length = static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ(10 + static_cast<std::size_t>(length) + sizeof(float), bytes.size());
  }
}

TEST(WriteNpy, RefusesValuesThatDoNotFillTheShape) {
  const testing::TempDir dir;
  const std::vector<float> values{1, 2, 3};
  EXPECT_ERROR(write_npy(dir / "a.npy", std::span<const float>(values), (Shape{2, 2})),
               "3 values do not fill shape (2, 2)");
  EXPECT_FALSE(std::filesystem::exists(dir / "a.npy"));
}

TEST(NpyRows, WritesWhatTheWholeMatrixWouldGive) {
  const testing::TempDir dir;
  const std::vector<float> values{0, 1, 2, 3, 4, 5};
  write_npy(dir / "whole.npy", std::span<const float>(values), Shape{3, 2});
  NpyRows rows(dir / "rows.npy", 3, 2);
  rows.add(std::span(values).first(2));
  EXPECT_ERROR(rows.commit(), "4 values are missing");
  EXPECT_FALSE(std::filesystem::exists(dir / "rows.npy"));
  rows.add(std::span(values).subspan(2));
  EXPECT_ERROR(rows.add(values), "more rows than were announced");
  rows.commit();
  EXPECT_EQ(read_file(dir / "rows.npy"), read_file(dir / "whole.npy"));
}

}  // namespace
}  // namespace hasa
