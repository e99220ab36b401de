#include "hasa/base/mapped_file.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <new>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/input_file.h"
#include "hasa/base/system_error.h"

namespace hasa {
namespace {

/// Which file lies where, in a form that a signal handler may read: no locks, no memory to be allocated. A file that
/// finds no place here stays unnamed.
struct Mapping {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};  // equal: nothing
  std::array<char, 512> name{};
};
std::array<Mapping, 128> mappings;

void remember(const void* data, std::size_t size, const std::filesystem::path& path) {
  for (Mapping& each : mappings) {
    if (each.taken.exchange(true)) continue;
    std::snprintf(each.name.data(), each.name.size(), "%s", path.c_str());
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    each.begin = begin;
    each.end = begin + size;
    return;
  }
}

void forget(const void* data) {
  for (Mapping& each : mappings) {
    if (each.begin != reinterpret_cast<std::uintptr_t>(data)) continue;
    each.end = 0;
    each.begin = 0;
    each.taken = false;
    return;
  }
}

const char* file_at(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (const Mapping& each : mappings) {
    if (place >= each.begin && place < each.end) return each.name.data();
  }
  return nullptr;
}

constexpr std::align_val_t kBufferAlignment{64};

void* map(const InputFile& file, const std::filesystem::path& path) {
  void* const data = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (data == MAP_FAILED) fail_system("map", path);
  remember(data, file.size(), path);
  return data;
}

void* read(InputFile& file, const std::filesystem::path& path) {
  void* const data = ::operator new(file.size(), kBufferAlignment);
  try {
    const std::size_t size = file.read({static_cast<std::byte*>(data), file.size()});
    HASA_CHECK(size == file.size(), data, "{} was cut short while it was read", path.string());
  } catch (...) {
    ::operator delete(data, kBufferAlignment);
    throw;
  }
  return data;
}

std::atomic<void (*)(const char*)> end_of_program{nullptr};

void on_bus_error(int signal, siginfo_t* what, void*) {
  if (const char* file = file_at(what->si_addr)) end_of_program.load()(file);
  std::signal(signal, SIG_DFL);  // not ours: it comes again at once, and ends the program
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  InputFile file(path);
  if (file.size() == 0) return;
  data_ = file.size() >= kMappedFrom ? map(file, path) : read(file, path);
  size_ = file.size();
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  if (size_ >= kMappedFrom) {
    forget(data_);
    ::munmap(data_, size_);
  } else {
    ::operator delete(data_, kBufferAlignment);
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void on_lost_page(void (*end)(const char* file)) {
  end_of_program = end;
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace hasa
