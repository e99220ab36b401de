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

void write_array(const std::filesystem::path& path, const char* dtype, std::span<const std::byte> bytes,
                 std::span<const std::int64_t> shape) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // The data begins at a multiple of 64 bytes, as the format asks.
  header.append(63 - (kPreambleSize + header.size()) % 64, ' ');
  header += '\n';
  HASA_ASSERT(header.size() < 65536);
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble += static_cast<char>(header.size() & 0xFF);
  preamble += static_cast<char>(header.size() >> 8);
  AtomicFile file(path);
  file.write(preamble);
  file.write(header);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

template <class T>
void write_checked(const std::filesystem::path& path, const char* dtype, std::span<const T> values,
                   std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  HASA_CHECK(product == static_cast<std::int64_t>(values.size()), shape, "{}: {} values do not fill shape ({})",
             path.string(), values.size(), fmt::join(shape, ", "));
  write_array(path, dtype, std::as_bytes(values), shape);
}

}  // namespace

void write_npy(const std::filesystem::path& path, std::span<const float> values, std::span<const std::int64_t> shape) {
  write_checked(path, "<f4", values, shape);
}

void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> values,
               std::span<const std::int64_t> shape) {
  write_checked(path, "<i8", values, shape);
}

}  // namespace hasa
