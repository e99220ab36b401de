#include "hasa/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "hasa/base/error.h"
#include "hasa/base/system_error.h"

namespace hasa {
namespace {

/// Its size; throws where there is nothing to read.
std::size_t size_of_regular(int descriptor, const std::filesystem::path& path) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) fail_system("read", path);
  HASA_CHECK(!S_ISDIR(status.st_mode), data, "{} is a folder, expected a file", path.string());
  // A pipe would look like an empty file.
  HASA_CHECK(S_ISREG(status.st_mode), data, "{} is not a regular file\nwrite its content to one first", path.string());
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
  // Not blocking, or a pipe that nobody writes to would be waited for.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail_system("open", path);
  try {
    size_ = size_of_regular(descriptor_, path);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count = ::read(descriptor_, into.data() + done, into.size() - done);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_system("read", path_);
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace hasa
