#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hasa {

/// Every kernel, copy and fill that the GPU runs while this object lives, by name, as the driver timed them. One at a
/// time in a process. Throws unavailable in a build without CUDA and where the driver allows no tracing.
class KernelTrace {
 public:
  struct Kernel {
    std::string name;
    double milliseconds = 0;  // of all calls together
    std::int64_t calls = 0;
  };

  KernelTrace();
  ~KernelTrace();  // NOLINT(performance-trivially-destructible): it ends the tracing in a build with CUDA
  KernelTrace(const KernelTrace&) = delete;
  KernelTrace& operator=(const KernelTrace&) = delete;

  /// What ran so far, longest first. The caller has synchronised with the device.
  std::vector<Kernel> kernels() const;
};

}  // namespace hasa
