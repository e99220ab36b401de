#include "hasa/ops/core/out_of_memory.h"

#include <c10/util/Exception.h>
#include <sys/resource.h>

#include <charconv>
#include <new>
#include <optional>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/memory.h"

namespace hasa {
namespace {

/// LibTorch: "... DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes. Error code 12 (...)"
constexpr std::string_view kHostAllocator = "DefaultCPUAllocator: ", kAskedFor = "you tried to allocate ";

std::optional<std::int64_t> bytes_asked_for(std::string_view message) {
  const std::size_t at = message.find(kAskedFor);
  std::int64_t bytes = 0;
  if (at == std::string_view::npos) return std::nullopt;
  message.remove_prefix(at + kAskedFor.size());
  if (std::from_chars(message.data(), message.data() + message.size(), bytes).ec != std::errc()) return std::nullopt;
  return bytes;
}

/// "; the process holds 1.2 GiB of 23 GiB"
std::string host_memory() {
  std::string text = fmt::format("the process holds {} of the machine's {}", format_bytes(resident_bytes()),
                                 format_bytes(machine_bytes()));
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    text += fmt::format(", and ulimit -v allows {} of address space",
                        format_bytes(static_cast<std::int64_t>(space.rlim_cur)));
  return text;
}

[[noreturn]] void fail_on_the_host(std::string_view what, std::optional<std::int64_t> asked, std::string_view advice) {
  const std::string more = asked ? fmt::format(": {} more were asked for", format_bytes(*asked)) : "";
  fail(ErrorKind::unavailable, "out of memory: {} does not fit{}; {}\ntry {}", what, more, host_memory(), advice);
}

}  // namespace

void fail_if_out_of_memory(const std::exception& problem, std::string_view what, std::string_view advice) {
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr) fail_on_the_host(what, std::nullopt, advice);
  const auto* const of_torch = dynamic_cast<const c10::Error*>(&problem);
  if (of_torch == nullptr) return;
  const std::string message = of_torch->what_without_backtrace();
  if (message.find(kHostAllocator) != std::string::npos) fail_on_the_host(what, bytes_asked_for(message), advice);
  if (dynamic_cast<const c10::OutOfMemoryError*>(of_torch) == nullptr) return;
  fail(ErrorKind::unavailable, "out of GPU memory: {} does not fit\n{}\ntry {}", what, message, advice);
}

}  // namespace hasa
