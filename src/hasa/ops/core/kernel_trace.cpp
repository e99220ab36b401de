#include "hasa/ops/core/kernel_trace.h"

#include "hasa/base/error.h"

#ifdef HASA_CUDA

#include <cupti.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace hasa {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{8} << 20;
constexpr auto kKinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

/// CUPTI calls back from a thread of its own, and its callbacks carry no argument.
struct Traced {
  std::mutex mutex;
  std::map<std::string, KernelTrace::Kernel> kernels;
} traced;

void check_cupti(CUptiResult result) {
  if (result == CUPTI_SUCCESS) return;
  const char* reason = nullptr;
  cuptiGetResultString(result, &reason);
  fail(ErrorKind::unavailable, "the driver does not trace kernels here: {}", reason == nullptr ? "?" : reason);
}

void note(const char* mangled, std::uint64_t start, std::uint64_t end) {
  KernelTrace::Kernel& kernel = traced.kernels[mangled];
  kernel.milliseconds += static_cast<double>(end - start) / 1e6;
  ++kernel.calls;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer, std::size_t /*size*/,
                          std::size_t valid) {
  const std::lock_guard lock(traced.mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      note(kernel->name, kernel->start, kernel->end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      note("Memcpy", copy->start, copy->end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      note("Memset", fill->start, fill->end);
    }
  }
  std::free(buffer);
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

KernelTrace::KernelTrace() {
  {
    const std::lock_guard lock(traced.mutex);
    traced.kernels.clear();
  }
  check_cupti(cuptiActivityRegisterCallbacks(give_buffer, take_buffer));
  try {
    for (const CUpti_ActivityKind kind : kKinds) check_cupti(cuptiActivityEnable(kind));
  } catch (...) {
    for (const CUpti_ActivityKind kind : kKinds) (void)cuptiActivityDisable(kind);
    throw;
  }
}

KernelTrace::~KernelTrace() {
  for (const CUpti_ActivityKind kind : kKinds) (void)cuptiActivityDisable(kind);
  (void)cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

std::vector<KernelTrace::Kernel> KernelTrace::kernels() const {
  check_cupti(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  const std::lock_guard lock(traced.mutex);
  std::vector<Kernel> list;
  for (const auto& [mangled, kernel] : traced.kernels) {
    list.push_back(kernel);
    list.back().name = demangled(mangled);
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.milliseconds > b.milliseconds; });
  return list;
}

}  // namespace hasa

#else

namespace hasa {

KernelTrace::KernelTrace() { fail(ErrorKind::unavailable, "kernels are traced on a GPU, and this build has no CUDA"); }
KernelTrace::~KernelTrace() = default;
std::vector<KernelTrace::Kernel> KernelTrace::kernels() const { return {}; }

}  // namespace hasa

#endif
