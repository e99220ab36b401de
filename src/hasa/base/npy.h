#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "hasa/base/file.h"

namespace hasa {

/// Writes a NumPy array file, little-endian, C order; atomic. The product of shape is values.size().
void write_npy(const std::filesystem::path& path, std::span<const float> values, std::span<const std::int64_t> shape);
void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> values,
               std::span<const std::int64_t> shape);

/// A float32 matrix written a few rows at a time, so that it is never in memory as a whole.
class NpyRows {
 public:
  NpyRows(const std::filesystem::path& path, std::int64_t rows, std::int64_t columns);
  /// Whole rows, one after another.
  void add(std::span<const float> values);
  /// Commits the file. Throws shape unless all rows were written.
  void commit();

 private:
  AtomicFile file_;
  std::filesystem::path path_;
  std::uint64_t missing_;  // values
};

}  // namespace hasa
