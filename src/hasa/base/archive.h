#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/file.h"

namespace hasa {

/// A binary file of named arrays that can be mapped and used in place.
///
///   header   "HASA-BIN", kind[16], format version u32, section count u32, file size u64,
///            program version[16], checksum of header and section table u64
///   table    per section: name[24], offset u64, size in bytes u64, checksum u64
///   sections each at a multiple of 64 bytes, little-endian
///
/// Nothing in a file is trusted: sizes, offsets and checksums are verified before a view is returned.
class ArchiveWriter {
 public:
  /// kind and section names are short ASCII words ("graph", "triples").
  ArchiveWriter(std::string kind, std::uint32_t version) : kind_(std::move(kind)), version_(version) {}

  /// The data must live until save().
  template <class T>
  void add(std::string name, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    sections_.push_back({std::move(name), std::as_bytes(values)});
  }
  template <class T>
  void add(std::string name, const std::vector<T>& values) {
    add(std::move(name), std::span<const T>(values));
  }
  void add(std::string name, std::string_view text) { add(std::move(name), std::span<const char>(text)); }

  void save(const std::filesystem::path& path) const;

 private:
  struct Section {
    std::string name;
    std::span<const std::byte> bytes;
  };
  std::string kind_;
  std::uint32_t version_;
  std::vector<Section> sections_;
};

class Archive {
 public:
  /// Throws data if the file is not an archive of this kind, is damaged, or has
  /// another format version (the message names the program version that wrote it and what to do).
  Archive(const std::filesystem::path& path, std::string_view kind, std::uint32_t version);
  /// The same for a file's bytes; `name` is for messages.
  Archive(std::vector<std::byte> bytes, const std::string& name, std::string_view kind, std::uint32_t version);

  /// A view into the mapped file, valid while the archive lives. Throws data if the section is missing or
  /// its size is not a multiple of T's.
  template <class T>
  std::span<const T> section(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<const std::byte> bytes = section_bytes(name);
    HASA_CHECK(bytes.size() % sizeof(T) == 0, data, "{}: section {} has {} bytes, not a multiple of {}", path_.string(),
               name, bytes.size(), sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  bool has(std::string_view name) const;
  std::string_view text(std::string_view name) const {
    const auto chars = section<char>(name);
    return {chars.data(), chars.size()};
  }

  const std::filesystem::path& path() const { return path_; }
  /// The program version that wrote the file.
  const std::string& written_by() const { return written_by_; }

 private:
  void read(std::span<const std::byte> bytes, std::string_view kind, std::uint32_t version);
  std::span<const std::byte> section_bytes(std::string_view name) const;

  std::filesystem::path path_;
  MappedFile file_;
  std::vector<std::byte> owned_;  // instead of file_
  std::string written_by_;
  struct Section {
    std::string name;
    std::span<const std::byte> bytes;
  };
  std::vector<Section> sections_;
};

}  // namespace hasa
