#include "hasa/base/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/file.h"

namespace hasa {
namespace {

constexpr std::size_t kPreambleSize = 10;  // magic, version, header length

std::string header_of(const char* dtype, std::span<const std::int64_t> shape) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // The data begins at a multiple of 64 bytes, as the format asks.
  header.append(63 - (kPreambleSize + header.size()) % 64, ' ');
  header += '\n';
  HASA_ASSERT(header.size() < 65536);
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble += static_cast<char>(header.size() & 0xFF);
  preamble += static_cast<char>(header.size() >> 8);
  return preamble + header;
}

template <class T>
void write_checked(const std::filesystem::path& path, const char* dtype, std::span<const T> values,
                   std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  HASA_CHECK(product == static_cast<std::int64_t>(values.size()), shape, "{}: {} values do not fill shape ({})",
             path.string(), values.size(), fmt::join(shape, ", "));
  AtomicFile file(path);
  file.write(header_of(dtype, shape));
  file.write(values.data(), values.size_bytes());
  file.commit();
}

}  // namespace

void write_npy(const std::filesystem::path& path, std::span<const float> values, std::span<const std::int64_t> shape) {
  write_checked(path, "<f4", values, shape);
}

void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> values,
               std::span<const std::int64_t> shape) {
  write_checked(path, "<i8", values, shape);
}

NpyRows::NpyRows(const std::filesystem::path& path, std::int64_t rows, std::int64_t columns)
    : file_(path), path_(path), missing_(static_cast<std::uint64_t>(rows * columns)) {
  const std::int64_t shape[] = {rows, columns};
  file_.write(header_of("<f4", shape));
}

void NpyRows::add(std::span<const float> values) {
  HASA_CHECK(values.size() <= missing_, shape, "{}: more rows than were announced", path_.string());
  file_.write(values.data(), values.size_bytes());
  missing_ -= values.size();
}

void NpyRows::commit() {
  HASA_CHECK(missing_ == 0, shape, "{}: {} values are missing", path_.string(), missing_);
  file_.commit();
}

}  // namespace hasa
