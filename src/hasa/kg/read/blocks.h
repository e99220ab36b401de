#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hasa/kg/read/byte_source.h"
#include "hasa/kg/records.h"

namespace hasa {

#ifdef HASA_FUZZING
inline constexpr std::size_t kBlockBytes = 16;  // so that small inputs have several
#else
inline constexpr std::size_t kBlockBytes = 4 << 20;
#endif

/// Cuts what a source gives into blocks of some megabytes, each ending where a line ends; with quotes, where a record
/// does, since a quoted field may hold line ends. A byte-order mark at the beginning is left out.
class Blocks {
 public:
  /// `size`: about how many bytes a block has.
  explicit Blocks(ByteSource& source, std::size_t size = kBlockBytes);

  /// False at the end. Throws data where one line is longer than any that makes sense.
  bool next(std::string& block);
  /// The first bytes, enough lines to look at, without taking them: what formats are told by.
  const std::string& beginning() const { return carry_; }
  /// Once the format is known; before the first block is taken.
  void set_format(const RecordFormat& format) { format_ = format; }

 private:
  bool fill(std::string& block, std::size_t size);
  std::size_t last_end(std::string_view block) const;

  ByteSource& source_;
  RecordFormat format_;
  std::size_t size_;
  std::string carry_;        // read and not handed out
  std::uint64_t taken_ = 0;  // bytes handed out
  bool ended_ = false;
};

}  // namespace hasa
