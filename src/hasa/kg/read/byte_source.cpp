#include "hasa/kg/read/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "hasa/base/error.h"

namespace hasa {
/// Named, because State holds them: a type of an unnamed namespace may not be a member of one that others see.
namespace byte_source_parts {

constexpr std::size_t kBufferBytes = 1 << 20;

/// A file descriptor or memory, as it is.
class RawBytes {
 public:
  RawBytes(std::string name, int descriptor, std::uint64_t size)
      : name_(std::move(name)), descriptor_(descriptor), size_(size) {}
  RawBytes(std::string name, std::string_view memory) : name_(std::move(name)), memory_(memory), size_(memory.size()) {}
  ~RawBytes() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }
  RawBytes(const RawBytes&) = delete;
  RawBytes& operator=(const RawBytes&) = delete;

  std::size_t read(char* into, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      const std::size_t some = read_some(into + done, size - done);
      if (some == 0) break;
      done += some;
    }
    taken_ += done;
    // A pipe has no size; a file that another process cut would else pass for a whole one.
    HASA_CHECK(done == size || taken_ >= size_, io,
               "{} was truncated, or its disk failed, while being read: it ends at byte {} of {}", name_, taken_,
               size_);
    return done;
  }

  const std::string& name() const { return name_; }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t size() const { return size_; }

 private:
  std::size_t read_some(char* into, std::size_t size) {
    if (descriptor_ < 0) {
      const std::size_t some = std::min(size, memory_.size());
      std::copy_n(memory_.data(), some, into);
      memory_.remove_prefix(some);
      return some;
    }
    for (;;) {
      const ssize_t some = ::read(descriptor_, into, size);
      if (some >= 0) return static_cast<std::size_t>(some);
      HASA_CHECK(errno == EINTR, io, "cannot read {}: {}", name_, std::strerror(errno));
    }
  }

  std::string name_;
  int descriptor_ = -1;
  std::string_view memory_;
  std::uint64_t size_, taken_ = 0;
};

/// Unpacks, or hands on, what the raw bytes hold.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  virtual std::size_t read(char* into, std::size_t size) = 0;
};

/// The bytes that were looked at to tell the packing come again.
class LookedAt {
 public:
  explicit LookedAt(RawBytes& raw) : raw_(raw), buffer_(kBufferBytes) { refill(); }

  std::string_view rest() const { return {buffer_.data() + at_, end_ - at_}; }
  void take(std::size_t size) { at_ += size; }
  /// False at the end.
  bool refill() {
    at_ = 0;
    end_ = raw_.read(buffer_.data(), buffer_.size());
    return end_ > 0;
  }
  const std::string& name() const { return raw_.name(); }

 private:
  RawBytes& raw_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;
};

class Plain : public Unpacker {
 public:
  explicit Plain(LookedAt& input) : input_(input) {}

  std::size_t read(char* into, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      if (input_.rest().empty() && !input_.refill()) break;
      const std::size_t some = std::min(size - done, input_.rest().size());
      std::copy_n(input_.rest().data(), some, into + done);
      input_.take(some);
      done += some;
    }
    return done;
  }

 private:
  LookedAt& input_;
};

/// Members one after the other, as `cat a.gz b.gz` makes them, are one text.
class Gzip : public Unpacker {
 public:
  explicit Gzip(LookedAt& input) : input_(input) {
    HASA_CHECK(::inflateInit2(&stream_, 15 + 16) == Z_OK, unavailable, "no memory to unpack {}", input.name());
  }
  ~Gzip() override { ::inflateEnd(&stream_); }

  std::size_t read(char* into, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0) {
      if (input_.rest().empty() && !input_.refill()) {
        HASA_CHECK(between_members_, data, "{} is cut short: its gzip data has no end\nfetch it again", input_.name());
        break;
      }
      if (between_members_) {
        ::inflateReset(&stream_);
        between_members_ = false;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.rest().data()));
      stream_.avail_in = static_cast<uInt>(input_.rest().size());
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      HASA_CHECK(code == Z_OK || code == Z_STREAM_END, data, "{} is damaged: its gzip data does not unpack ({})",
                 input_.name(), stream_.msg == nullptr ? "cut short" : stream_.msg);
      input_.take(input_.rest().size() - stream_.avail_in);
      between_members_ = code == Z_STREAM_END;
    }
    return size - stream_.avail_out;
  }

 private:
  LookedAt& input_;
  z_stream stream_ = {};
  bool between_members_ = false;
};

class Zstd : public Unpacker {
 public:
  explicit Zstd(LookedAt& input) : input_(input), stream_(::ZSTD_createDStream()) {
    HASA_CHECK(stream_ != nullptr, unavailable, "no memory to unpack {}", input.name());
  }
  ~Zstd() override { ::ZSTD_freeDStream(stream_); }

  std::size_t read(char* into, std::size_t size) override {
    ZSTD_outBuffer out = {into, size, 0};
    while (out.pos < out.size) {
      if (input_.rest().empty() && !input_.refill()) {
        HASA_CHECK(frame_ended_, data, "{} is cut short: its zstd data has no end\nfetch it again", input_.name());
        break;
      }
      ZSTD_inBuffer in = {input_.rest().data(), input_.rest().size(), 0};
      const std::size_t code = ::ZSTD_decompressStream(stream_, &out, &in);
      HASA_CHECK(!::ZSTD_isError(code), data, "{} is damaged: its zstd data does not unpack ({})", input_.name(),
                 ::ZSTD_getErrorName(code));
      input_.take(in.pos);
      frame_ended_ = code == 0;
    }
    return out.pos;
  }

 private:
  LookedAt& input_;
  ZSTD_DStream* stream_;
  bool frame_ended_ = false;
};

/// What the file holds instead of text, and the command that makes text of it; such bytes begin no UTF-8 text.
struct Unreadable {
  std::string_view first_bytes;
  const char* what;
  const char* command;
};
constexpr Unreadable kUnreadable[] = {
    {{"\xFD"
      "7zXZ\0",
      6},
     "packed with xz",
     "xz -dc"},
    {"BZh91AY&SY", "packed with bzip2", "bzip2 -dc"},
    {{"PK\x03\x04", 4}, "a zip archive", "unzip -p"},
    {"\xFF\xFE", "UTF-16", "iconv -f UTF-16 -t UTF-8"},
    {"\xFE\xFF", "UTF-16", "iconv -f UTF-16 -t UTF-8"},
};

std::unique_ptr<Unpacker> unpacker_of(LookedAt& input) {
  if (input.rest().starts_with("\x1F\x8B")) return std::make_unique<Gzip>(input);
  if (input.rest().starts_with("\x28\xB5\x2F\xFD")) return std::make_unique<Zstd>(input);
  for (const auto& [first_bytes, what, command] : kUnreadable) {
    if (input.rest().starts_with(first_bytes))
      fail(ErrorKind::data, "{} is {}, expected UTF-8 text, gzip or zstd\n{} {} | hasa import - ... reads it",
           input.name(), what, command, input.name());
  }
  return std::make_unique<Plain>(input);
}

std::unique_ptr<RawBytes> open_raw(const std::string& path) {
  if (path == "-") return std::make_unique<RawBytes>("standard input", STDIN_FILENO, 0);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  HASA_CHECK(descriptor >= 0, data, "cannot open {}: {}", path, std::strerror(errno));
  struct stat status = {};
  const bool folder = ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
  const auto size = static_cast<std::uint64_t>(S_ISREG(status.st_mode) ? status.st_size : 0);
  auto raw = std::make_unique<RawBytes>(path, descriptor, size);
  HASA_CHECK(!folder, data, "{} is a folder, expected a file", path);
  return raw;
}

}  // namespace byte_source_parts

using namespace byte_source_parts;

struct ByteSource::State {
  explicit State(std::unique_ptr<RawBytes> bytes) : raw(std::move(bytes)), input(*raw), unpacker(unpacker_of(input)) {}

  std::unique_ptr<RawBytes> raw;
  LookedAt input;
  std::unique_ptr<Unpacker> unpacker;
  std::string ahead;           // unpacked by beginning()
  std::size_t ahead_read = 0;  // of those, handed out by read()
};

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

ByteSource ByteSource::open(const std::string& path) { return ByteSource(std::make_unique<State>(open_raw(path))); }

ByteSource ByteSource::of_memory(std::string name, std::string_view text) {
  return ByteSource(std::make_unique<State>(std::make_unique<RawBytes>(std::move(name), text)));
}

std::size_t ByteSource::read(char* into, std::size_t size) {
  const std::size_t first = std::min(size, state_->ahead.size() - state_->ahead_read);
  std::copy_n(state_->ahead.data() + state_->ahead_read, first, into);
  state_->ahead_read += first;
  return first == size ? size : first + state_->unpacker->read(into + first, size - first);
}

std::string_view ByteSource::beginning() {
  constexpr std::size_t kLookedAt = 64 << 10;
  std::string& ahead = state_->ahead;
  if (ahead.empty()) {
    ahead.resize(kLookedAt);
    ahead.resize(state_->unpacker->read(ahead.data(), ahead.size()));
  }
  return ahead;
}

std::string ByteSource::read_all() {
  std::string all;
  for (std::size_t done = 0;;) {
    all.resize(std::max(kBufferBytes, 2 * all.size()));
    done += read(all.data() + done, all.size() - done);
    if (done == all.size()) continue;
    all.resize(done);
    return all;
  }
}

const std::string& ByteSource::name() const { return state_->raw->name(); }
std::uint64_t ByteSource::bytes_taken() const { return state_->raw->taken(); }
std::uint64_t ByteSource::bytes_on_disk() const { return state_->raw->size(); }

std::string_view unpacked_name(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst", ".zstd"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

}  // namespace hasa
