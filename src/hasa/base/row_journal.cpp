#include "hasa/base/row_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hasa/base/hash.h"
#include "hasa/base/log.h"

namespace hasa {
namespace {

struct JournalHeader {
  char magic[8] = {'H', 'A', 'S', 'A', '-', 'R', 'O', 'W'};
  std::uint64_t stamp = 0, rows = 0, width = 0, checksum = 0;

  static JournalHeader of(std::uint64_t stamp, std::size_t rows, std::size_t width) {
    JournalHeader header;
    header.stamp = stamp;
    header.rows = rows;
    header.width = width;
    header.checksum = hash_bytes(&header, sizeof header);
    return header;
  }
};

struct BlockHead {
  std::uint64_t count = 0, checksum = 0;
};

std::uint64_t checksum_of(std::span<const std::int64_t> rows, std::span<const float> values) {
  return hash_bytes(values.data(), values.size_bytes(), hash_bytes(rows.data(), rows.size_bytes(), rows.size()));
}

bool read_whole(int descriptor, void* into, std::size_t size) {
  auto* to = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t count = ::read(descriptor, to, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

RowJournal::RowJournal(std::filesystem::path path, std::uint64_t stamp, std::size_t width, std::span<float> matrix)
    : path_(std::move(path)), width_(width), found_(width > 0 ? matrix.size() / width : 0) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) read(stamp, matrix);
}

RowJournal::~RowJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RowJournal::read(std::uint64_t stamp, std::span<float> matrix) {
  const JournalHeader wanted = JournalHeader::of(stamp, found_.size(), width_);
  JournalHeader header;
  if (!read_whole(descriptor_, &header, sizeof header) || std::memcmp(&header, &wanted, sizeof header) != 0) {
    const bool empty = ::ftruncate(descriptor_, 0) == 0 && ::lseek(descriptor_, 0, SEEK_SET) == 0;
    if (!empty || !write(&wanted, sizeof wanted)) ::close(std::exchange(descriptor_, -1));
    return;
  }
  off_t good = sizeof header;
  while (read_block(matrix)) good = ::lseek(descriptor_, 0, SEEK_CUR);
  if (::ftruncate(descriptor_, good) != 0 || ::lseek(descriptor_, good, SEEK_SET) != good) {
    ::close(std::exchange(descriptor_, -1));
  }
}

bool RowJournal::read_block(std::span<float> matrix) {
  BlockHead head;
  if (!read_whole(descriptor_, &head, sizeof head) || head.count == 0 || head.count > found_.size()) return false;
  std::vector<std::int64_t> rows(head.count);
  std::vector<float> values(head.count * width_);
  if (!read_whole(descriptor_, rows.data(), rows.size() * sizeof rows[0]) ||
      !read_whole(descriptor_, values.data(), values.size() * sizeof values[0]) ||
      head.checksum != checksum_of(rows, values)) {
    return false;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    if (row >= found_.size()) return false;
    std::copy_n(values.data() + i * width_, width_, matrix.data() + row * width_);
    if (!found_[row]) ++found_count_;
    found_[row] = true;
  }
  return true;
}

void RowJournal::add(std::span<const std::int64_t> rows, std::span<const float> values) {
  const BlockHead head{rows.size(), checksum_of(rows, values)};
  const std::lock_guard lock(mutex_);
  if (write(&head, sizeof head) && write(rows.data(), rows.size_bytes())) write(values.data(), values.size_bytes());
}

bool RowJournal::keeps() const {
  const std::lock_guard lock(mutex_);
  return descriptor_ >= 0;
}

bool RowJournal::write(const void* data, std::size_t size) {
  const auto* from = static_cast<const char*>(data);
  while (size > 0 && descriptor_ >= 0) {
    const ssize_t count = ::write(descriptor_, from, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      log_warning("{} cannot be written: {}; should this be stopped, it begins anew", path_.string(),
                  std::strerror(errno));
      ::close(std::exchange(descriptor_, -1));
      return false;
    }
    from += count;
    size -= static_cast<std::size_t>(count);
  }
  return descriptor_ >= 0;
}

}  // namespace hasa
