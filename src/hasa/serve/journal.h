#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hasa {

/// A file that records are added to before anybody is told that they are kept.
///
///   header  "HASA-LIV", format u64, stamp u64, checksum u64
///   frames  "FRAM", size u32, checksum u64 of its place and its records; records: length u32 and bytes each
///
/// A frame is what one append() writes, with one fsync; it is there whole or not at all. What a kill left half written
/// behind the last whole frame was promised to nobody: it is cut off with a warning. A damaged frame with a whole one
/// behind it is a disk's doing, and refused.
class Journal {
 public:
  enum class Access {
    read,   ///< as it stands: nothing is made, cut or locked; a file that is not there has no records
    write,  ///< held by one process at a time; the file is made by the first append()
  };
  using Take = std::function<void(std::string_view record)>;

  /// Hands over the records of the file, in the order they were written. `stamp` says what they belong to; a file of
  /// one of the `earlier` stamps is gone on with under its own. Throws data when the file is damaged or of another
  /// stamp, io when another process holds it.
  Journal(std::filesystem::path path, std::uint64_t stamp, Access access, const Take& take,
          std::vector<std::uint64_t> earlier = {});
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Returns when the records are on the disk, all of them. Throws io when they are not, and then none will be read
  /// again.
  void append(std::span<const std::string> records);

  /// Puts a shorter file in the place of this one, by write-then-rename, that says the same as its first `bytes`:
  /// `records` hands each to the function it is given. May run beside append(); what is appended meanwhile is kept.
  void compact(std::uint64_t bytes, const std::function<void(const Take& put)>& records);

  bool is_writable() const { return access_ == Access::write; }
  /// Of the file as it stands, header and all; 0 before it is made.
  std::uint64_t bytes() const;
  const std::filesystem::path& path() const { return path_; }

  static constexpr std::uint64_t kFormat = 1;

 private:
  void lock();
  void read(const Take& take);
  /// What follows the last whole frame of a file of so many bytes.
  void cut_tail(std::uint64_t size);
  void open_for_append();

  std::filesystem::path path_;
  std::uint64_t stamp_;  // the file's own, once it is read
  std::vector<std::uint64_t> earlier_;
  Access access_;
  int lock_ = -1, descriptor_ = -1;
  mutable std::mutex mutex_;  // of what follows and the file itself
  std::uint64_t end_ = 0;     // behind the last whole frame
  bool broken_ = false;       // the disk failed, and what it holds is no longer known
};

}  // namespace hasa
