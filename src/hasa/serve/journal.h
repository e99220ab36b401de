#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hasa {

/// A file that records are added to before anybody is told that they are kept.
///
///   header  "HASA-LIV", format u32, stamp u64, checksum u64
///   frames  "FRAM", bytes u32, checksum u64 of what follows, then its records: length u32 and bytes each
///
/// A frame is what one append() writes, with one fsync; it is there whole or not at all. What a kill left half written
/// behind the last whole frame was promised to nobody: it is cut off with a warning. A damaged frame with a whole one
/// behind it is a disk's doing, and refused.
class Journal {
 public:
  enum class Access {
    read,   ///< as it stands: nothing is made, cut or locked; a file that is not there has no records
    write,  ///< held by one process at a time
  };
  using Take = std::function<void(std::string_view record)>;

  /// Hands over the records of the file, in the order they were written. `stamp` says what they belong to. Throws data
  /// when the file is damaged or of another stamp, io when another process holds it.
  Journal(std::filesystem::path path, std::uint64_t stamp, Access access, const Take& take);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Returns when the records are on the disk, all of them. Throws io when they are not, and then none is in the file.
  /// One call at a time.
  void append(std::span<const std::string> records);

  /// Puts a shorter file in the place of this one, by write-then-rename, that says the same as its first `bytes`:
  /// `records` hands each to the function it is given. May run beside append(); what is appended meanwhile is kept.
  void compact(std::uint64_t bytes, const std::function<void(const Take& put)>& records);

  /// Of the file as it stands, header and all.
  std::uint64_t bytes() const;
  const std::filesystem::path& path() const { return path_; }

  static constexpr std::uint32_t kFormat = 1;

 private:
  struct File;
  std::filesystem::path path_;
  std::uint64_t stamp_;
  std::unique_ptr<File> file_;
};

}  // namespace hasa
