#include "hasa/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hasa/base/error.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_system(const char* action, const fs::path& path) {
  const int code = errno;
  const bool users = code == ENOENT || code == ENOTDIR || code == EISDIR || code == ELOOP;
  fail(users ? ErrorKind::data : ErrorKind::io, "cannot {} {}: {}", action, path.string(), std::strerror(code));
}

/// A name beside `path` that no other process uses.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() / fmt::format(".{}.{}-{}.tmp", path.filename().string(), ::getpid(), counter++);
}

/// "runs/a/" names the same folder as "runs/a", but has no file name.
fs::path without_trailing_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

/// Where a link leads in the end, also when nothing is there yet: open() would create it there.
fs::path end_of_links(fs::path path) {
  constexpr int kMostLinks = 40;  // what Linux itself follows
  std::error_code ignored;
  for (int followed = 0; fs::is_symlink(path, ignored); ++followed) {
    if (followed == kMostLinks) {
      errno = ELOOP;
      fail_system("write", path);
    }
    path = path.parent_path() / fs::read_symlink(path, ignored);  // an absolute target replaces the folder
  }
  return path;
}

/// Makes a rename inside the folder survive a power cut.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

MappedFile::MappedFile(const fs::path& path) {
  // Not blocking, or a pipe that nobody writes to would be waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail_system("open", path);
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
    const bool folder = S_ISDIR(status.st_mode);
    ::close(descriptor);
    HASA_CHECK(!folder, data, "{} is a folder, expected a file", path.string());
    fail_system("read", path);
  }
  if (!S_ISREG(status.st_mode)) {  // a pipe would look like an empty file
    ::close(descriptor);
    fail(ErrorKind::data, "{} is not a regular file\nwrite its content to one first", path.string());
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data_ == MAP_FAILED) {
      data_ = nullptr;
      ::close(descriptor);
      fail_system("map", path);
    }
  }
  ::close(descriptor);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  const bool special = fs::is_other(path_, ignored);
  if (!special) path_ = end_of_links(std::move(path_));
  if (!special) temporary_ = temporary_beside(path_);
  file_ = std::fopen((special ? path_ : temporary_).c_str(), "wb");
  if (file_ == nullptr) fail_system("write", path_);
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void AtomicFile::write(const void* data, std::size_t size) {
  if (size > 0 && std::fwrite(data, 1, size, file_) != size) fail_system("write", path_);
}

void AtomicFile::seek(std::uint64_t offset) {
  if (::fseeko(file_, static_cast<off_t>(offset), SEEK_SET) != 0) fail_system("write", path_);
}

void AtomicFile::commit() {
  const bool special = temporary_.empty();
  if (std::fflush(file_) != 0 || (!special && ::fsync(::fileno(file_)) != 0)) fail_system("write", path_);
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (closed && special) return;
  if (!closed || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int code = errno;
    if (!special) ::unlink(temporary_.c_str());
    errno = code;
    fail_system("write", path_);
  }
  sync_folder(path_.parent_path());
}

AtomicFolder::AtomicFolder(const fs::path& destination)
    : destination_(without_trailing_slash(destination)), temporary_(temporary_beside(destination_)) {
  std::error_code code;
  if (destination_.has_parent_path()) fs::create_directories(destination_.parent_path(), code);
  if (!fs::create_directory(temporary_, code)) {
    errno = code.value();
    fail_system("create", destination_);
  }
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  const fs::path old = temporary_beside(destination_);
  std::error_code code;
  const bool replaces = fs::exists(destination_, code);
  if (replaces) fs::rename(destination_, old, code);
  const bool moved = replaces && !code;
  if (!code) fs::rename(temporary_, destination_, code);
  if (code) {
    std::error_code ignored;
    if (moved) fs::rename(old, destination_, ignored);
    errno = code.value();
    fail_system("create", destination_);
  }
  committed_ = true;
  sync_folder(destination_.parent_path());
  if (replaces) fs::remove_all(old, code);
}

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.ends_with(".tmp");
}

std::string read_file(const fs::path& path) { return std::string(MappedFile(path).text()); }

void write_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace hasa
