#include "hasa/serve/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/base/system_error.h"

namespace hasa {
namespace {

struct JournalFileHeader {
  char magic[8] = {'H', 'A', 'S', 'A', '-', 'L', 'I', 'V'};
  std::uint64_t format = Journal::kFormat, stamp = 0, checksum = 0;

  static JournalFileHeader of(std::uint64_t stamp) {
    JournalFileHeader header;
    header.stamp = stamp;
    header.checksum = hash_bytes(&header, offsetof(JournalFileHeader, checksum));
    return header;
  }
};

constexpr char kFrameMagic[4] = {'F', 'R', 'A', 'M'};
constexpr std::size_t kFrameHead = 16;
constexpr std::size_t kLongestFrame = std::size_t{1} << 30;
constexpr std::size_t kCompactedFrame = std::size_t{1} << 20;

/// With its place in it, so that no text of a record can pass for a frame.
std::uint64_t frame_checksum(std::string_view records, std::uint64_t place, std::uint64_t stamp) {
  return hash_bytes(records.data(), records.size(), stamp + place);
}

void put_record(std::string_view record, std::string& records) {
  const auto length = static_cast<std::uint32_t>(record.size());
  records.append(reinterpret_cast<const char*>(&length), sizeof length);
  records.append(record);
}

std::string frame_of(std::string_view records, std::uint64_t place, std::uint64_t stamp) {
  const auto size = static_cast<std::uint32_t>(records.size());
  const std::uint64_t checksum = frame_checksum(records, place, stamp);
  std::string frame(kFrameMagic, sizeof kFrameMagic);
  frame.append(reinterpret_cast<const char*>(&size), sizeof size);
  frame.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return frame.append(records);
}

/// The records of the frame at `place`, if there is a whole one.
std::optional<std::string_view> records_at(std::string_view file, std::uint64_t place, std::uint64_t stamp) {
  if (file.size() < place + kFrameHead || std::memcmp(file.data() + place, kFrameMagic, sizeof kFrameMagic) != 0)
    return std::nullopt;
  std::uint32_t size = 0;
  std::uint64_t checksum = 0;
  std::memcpy(&size, file.data() + place + 4, sizeof size);
  std::memcpy(&checksum, file.data() + place + 8, sizeof checksum);
  if (file.size() - place - kFrameHead < size) return std::nullopt;
  const std::string_view records = file.substr(place + kFrameHead, size);
  if (frame_checksum(records, place, stamp) != checksum) return std::nullopt;
  return records;
}

/// False when they do not end where the frame does.
bool take_records(std::string_view records, const Journal::Take& take) {
  while (records.size() >= sizeof(std::uint32_t)) {
    std::uint32_t length = 0;
    std::memcpy(&length, records.data(), sizeof length);
    records.remove_prefix(sizeof length);
    if (records.size() < length) return false;
    take(records.substr(0, length));
    records.remove_prefix(length);
  }
  return records.empty();
}

/// Frames from `place` on; returns where the last whole one ends.
std::uint64_t take_frames(std::string_view file, std::uint64_t place, std::uint64_t stamp, const Journal::Take& take) {
  while (const auto records = records_at(file, place, stamp)) {
    if (!take_records(*records, take)) return place;
    place += kFrameHead + records->size();
  }
  return place;
}

bool has_frame_after(std::string_view file, std::uint64_t place, std::uint64_t stamp) {
  const std::string_view magic(kFrameMagic, sizeof kFrameMagic);
  for (auto at = file.find(magic, place + 1); at != std::string_view::npos; at = file.find(magic, at + 1)) {
    if (records_at(file, at, stamp)) return true;
  }
  return false;
}

bool write_at(int descriptor, std::string_view bytes, std::uint64_t place) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    place += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Journal::Journal(std::filesystem::path path, std::uint64_t stamp, Access access, const Take& take,
                 std::vector<std::uint64_t> earlier)
    : path_(std::move(path)), stamp_(stamp), earlier_(std::move(earlier)), access_(access) {
  if (is_writable()) lock();
  try {
    read(take);
    if (is_writable() && end_ > 0) open_for_append();
  } catch (...) {
    if (lock_ >= 0) ::close(lock_);
    throw;
  }
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (lock_ >= 0) ::close(lock_);
}

void Journal::lock() {
  const std::filesystem::path place = path_.string() + ".lock";
  lock_ = ::open(place.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (lock_ < 0) fail_system("write", place);
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  const bool held = errno == EWOULDBLOCK;
  ::close(lock_);
  HASA_CHECK(!held, io, "another process takes changes for {}\nstop it first, or ask that one",
             path_.parent_path().string());
  fail_system("lock", place);
}

void Journal::read(const Take& take) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return;
  const MappedFile mapped(path_);
  const std::string_view file = mapped.text();
  const JournalFileHeader wanted = JournalFileHeader::of(stamp_);
  JournalFileHeader header;
  HASA_CHECK(file.size() >= sizeof header && std::memcmp(file.data(), wanted.magic, sizeof wanted.magic) == 0, data,
             "{} is no journal of changes\nmove it away, and serving begins without changes", path_.string());
  std::memcpy(&header, file.data(), sizeof header);
  HASA_CHECK(header.format == kFormat, data, "{} has format {}, this program reads {}\nuse the program that wrote it",
             path_.string(), header.format, kFormat);
  HASA_CHECK(header.checksum == JournalFileHeader::of(header.stamp).checksum, data, "{} is damaged: its header",
             path_.string());
  if (std::find(earlier_.begin(), earlier_.end(), header.stamp) != earlier_.end()) stamp_ = header.stamp;
  HASA_CHECK(header.stamp == stamp_, data,
             "{} holds changes of another graph\nmove it away, and serving begins without changes", path_.string());
  end_ = take_frames(file, sizeof header, stamp_, take);
  if (end_ == file.size()) return;
  HASA_CHECK(!has_frame_after(file, end_, stamp_), data,
             "{} is damaged at byte {}: there are changes behind it\nrestore it from a copy, or move it away to serve "
             "without changes",
             path_.string(), end_);
  if (is_writable()) cut_tail(file.size());
}

void Journal::cut_tail(std::uint64_t size) {
  log_warning("{}: {} bytes at its end were not completely written, and promised to nobody; they are cut off",
              path_.string(), size - end_);
  if (::truncate(path_.c_str(), static_cast<off_t>(end_)) != 0) fail_system("cut", path_);
}

void Journal::open_for_append() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0) fail_system("write", path_);
}

std::uint64_t Journal::bytes() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

void Journal::append(std::span<const std::string> records) {
  HASA_ASSERT(is_writable());
  std::string all;
  for (const std::string& record : records) put_record(record, all);
  HASA_CHECK(all.size() <= kLongestFrame, config, "changes of {} bytes at once; at most {} are taken", all.size(),
             kLongestFrame);
  const std::lock_guard lock(mutex_);
  HASA_CHECK(!broken_, io, "{} could not be written before, and what the disk holds of it is not known\nstart again",
             path_.string());
  if (descriptor_ < 0) {
    const JournalFileHeader header = JournalFileHeader::of(stamp_);
    write_file(path_, {reinterpret_cast<const char*>(&header), sizeof header});
    open_for_append();
    end_ = sizeof header;
  }
  const std::string frame = frame_of(all, end_, stamp_);
  const bool written = write_at(descriptor_, frame, end_);
  if (written && ::fdatasync(descriptor_) == 0) {
    end_ += frame.size();
    return;
  }
  // After a failed fsync nobody knows which pages are on the disk.
  const int reason = errno;
  broken_ = written || ::ftruncate(descriptor_, static_cast<off_t>(end_)) != 0;
  if (written) (void)!::ftruncate(descriptor_, static_cast<off_t>(end_));
  errno = reason;
  fail_system("write", path_);
}

void Journal::compact(std::uint64_t bytes, const std::function<void(const Take& put)>& records) {
  HASA_ASSERT(is_writable());
  AtomicFile fresh(path_);
  const JournalFileHeader header = JournalFileHeader::of(stamp_);
  fresh.write(&header, sizeof header);
  std::uint64_t place = sizeof header;
  std::string gathered;
  const auto flush = [&] {
    if (gathered.empty()) return;
    const std::string frame = frame_of(gathered, place, stamp_);
    fresh.write(frame);
    place += frame.size();
    gathered.clear();
  };
  const auto put = [&](std::string_view record) {
    put_record(record, gathered);
    if (gathered.size() >= kCompactedFrame) flush();
  };
  records(put);

  const std::lock_guard lock(mutex_);
  if (end_ > bytes) {
    const MappedFile mapped(path_);
    const std::uint64_t taken = take_frames(mapped.text().substr(0, end_), bytes, stamp_, put);
    HASA_CHECK(taken == end_, io, "{} has changed under the program: it cannot be compacted", path_.string());
  }
  flush();
  fresh.commit();
  ::close(descriptor_);
  descriptor_ = -1;
  broken_ = true;  // until the new file is open
  open_for_append();
  broken_ = false;
  end_ = place;
}

}  // namespace hasa
