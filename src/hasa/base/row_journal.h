#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <vector>

namespace hasa {

/// Rows of a matrix written to a file as they are computed, in any order, so that interrupted work can be resumed.
///
///   header   "HASA-ROW", stamp u64, rows u64, width u64, checksum u64
///   blocks   count u64, checksum u64, row numbers i64[count], values f32[count, width]
///
/// A file with another stamp or size is replaced; a partial or damaged block
/// is cut off together with everything after it. Failing to write is not an error.
class RowJournal {
 public:
  /// Fills the rows of `matrix` [rows, width] that are in the file. `stamp` identifies the inputs of the rows.
  RowJournal(std::filesystem::path path, std::uint64_t stamp, std::size_t width, std::span<float> matrix);
  ~RowJournal();
  RowJournal(const RowJournal&) = delete;
  RowJournal& operator=(const RowJournal&) = delete;

  /// Whether the row was in the file when it was opened.
  bool has(std::size_t row) const { return found_[row]; }
  std::size_t found() const { return found_count_; }
  /// values [rows.size(), width]. Thread-safe.
  void add(std::span<const std::int64_t> rows, std::span<const float> values);
  /// Whether everything added is in the file.
  bool keeps() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  void read(std::uint64_t stamp, std::span<float> matrix);
  bool read_block(std::span<float> matrix);
  bool write(const void* data, std::size_t size);

  std::filesystem::path path_;
  std::size_t width_;
  int descriptor_ = -1;
  mutable std::mutex mutex_;
  std::vector<bool> found_;
  std::size_t found_count_ = 0;
};

}  // namespace hasa
