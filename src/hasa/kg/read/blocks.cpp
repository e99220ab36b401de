#include "hasa/kg/read/blocks.h"

#include <utility>

#include "hasa/base/error.h"

namespace hasa {
namespace {

/// A quote that is opened and never closed must not take the rest of the file into memory.
constexpr std::size_t kLongestRecord = 64 << 20;

/// Enough lines to tell a format by.
constexpr std::size_t kLookedAt = 64 << 10;

}  // namespace

Blocks::Blocks(ByteSource& source, std::size_t size) : source_(source), size_(size) {
  fill(carry_, kLookedAt);
  taken_ = carry_.size() - without_byte_order_mark(carry_).size();
  carry_.erase(0, taken_);
}

/// Up to `size` bytes in all; false when nothing was added.
bool Blocks::fill(std::string& block, std::size_t size) {
  const std::size_t had = block.size();
  if (ended_ || had >= size) return false;
  block.resize(size);
  const std::size_t read = source_.read(block.data() + had, size - had);
  block.resize(had + read);
  ended_ = block.size() < size;
  return read > 0;
}

/// Where the last whole record of the block ends; 0 when there is none.
std::size_t Blocks::last_end(std::string_view block) const {
  if (!format_.quotes) return block.rfind('\n') + 1;  // npos + 1 is 0
  // Whether a line end is inside quotes depends on all that is before it. A record that reaches the block's end, or
  // whose quotes do not close in it, may have more to come.
  RecordReader reader(block, format_);
  std::size_t end = 0;
  for (Record record; reader.next(record);) {
    const auto start = static_cast<std::size_t>(record.raw.data() - block.data());
    const bool unfinished = record.unclosed || (reader.rest().empty() && block.back() != '\n');
    if (unfinished && block.size() - start < kLongestRecord) return start;
    end = static_cast<std::size_t>(reader.rest().data() - block.data());
  }
  return end;
}

bool Blocks::next(std::string& block) {
  block = std::exchange(carry_, {});
  for (std::size_t wanted = size_;; wanted *= 2) {
    fill(block, wanted);
    if (ended_ && block.size() <= wanted) return !block.empty();
    const std::size_t end = last_end(std::string_view(block).substr(0, wanted));
    if (end > 0) {
      carry_.assign(block, end);
      block.resize(end);
      taken_ += end;
      return true;
    }
    HASA_CHECK(wanted < kLongestRecord, data,
               "{}: the line that begins at byte {} is longer than {} MiB\nis this a text file of triples?",
               source_.name(), taken_ + 1, kLongestRecord >> 20);
  }
}

}  // namespace hasa
