#include "hasa/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/system_error.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// A name beside `path` that cannot be guessed. "make" makes it and says whether it could; what is there already is
/// never taken.
template <class Make>
fs::path make_temporary_beside(const fs::path& path, const char* action, const Make& make) {
  for (int tries = 0; tries < 100; ++tries) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number) fail_system(action, path);
    fs::path name = path.parent_path() / fmt::format(".{}.{:016x}.tmp", path.filename().string(), number);
    if (make(name)) return name;
    if (errno != EEXIST) break;
  }
  fail_system(action, path);
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

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (fs::is_other(path_, ignored)) {
    file_ = std::fopen(path_.c_str(), "wb");
  } else {
    path_ = end_of_links(std::move(path_));
    int descriptor = -1;
    temporary_ = make_temporary_beside(path_, "write", [&](const fs::path& name) {
      descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      return descriptor >= 0;
    });
    file_ = ::fdopen(descriptor, "wb");
  }
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

void refuse_dangling_link(const fs::path& folder) {
  std::error_code code;
  for (fs::path link = without_trailing_slash(folder); link.has_relative_path(); link = link.parent_path()) {
    HASA_CHECK(!fs::is_symlink(link, code) || fs::exists(link, code), config,
               "{} is a link to {}, which does not exist\nmake that folder, remove the link, or choose another --out",
               link.string(), fs::read_symlink(link, code).string());
  }
}

AtomicFolder::AtomicFolder(const fs::path& destination) : destination_(without_trailing_slash(destination)) {
  refuse_dangling_link(destination_);
  destination_ = end_of_links(std::move(destination_));
  std::error_code ignored;
  if (destination_.has_parent_path()) fs::create_directories(destination_.parent_path(), ignored);
  temporary_ = make_temporary_beside(destination_, "create",
                                     [](const fs::path& name) { return ::mkdir(name.c_str(), 0777) == 0; });
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, destination_.c_str(), RENAME_EXCHANGE) == 0) {
    sync_folder(destination_.parent_path());
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);  // it holds the old folder now
  } else if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) {
    replace_in_two_steps(temporary_, destination_);
  } else if (errno != ENOENT || std::rename(temporary_.c_str(), destination_.c_str()) != 0) {
    fail_system("create", destination_);
  }
  sync_folder(destination_.parent_path());
  committed_ = true;
}

bool AtomicFolder::commit_where_free() {
  if (std::rename(temporary_.c_str(), destination_.c_str()) != 0) {
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) return false;
    fail_system("create", destination_);
  }
  sync_folder(destination_.parent_path());
  committed_ = true;
  return true;
}

void replace_in_two_steps(const fs::path& fresh, const fs::path& destination) {
  const bool replaces = ::access(destination.c_str(), F_OK) == 0;
  const auto move_away = [&](const fs::path& name) { return std::rename(destination.c_str(), name.c_str()) == 0; };
  const fs::path old = replaces ? make_temporary_beside(destination, "create", move_away) : fs::path();
  if (std::rename(fresh.c_str(), destination.c_str()) != 0) {
    const int code = errno;
    if (replaces) std::rename(old.c_str(), destination.c_str());
    errno = code;
    fail_system("create", destination);
  }
  std::error_code ignored;
  if (replaces) fs::remove_all(old, ignored);
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail_system("write", to);
  sync_folder(to.parent_path());
}

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.ends_with(".tmp");
}

std::string read_file(const fs::path& path) {
  InputFile file(path);
  std::string text(file.size(), '\0');
  text.resize(file.read(std::as_writable_bytes(std::span(text))));
  return text;
}

void write_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace hasa
