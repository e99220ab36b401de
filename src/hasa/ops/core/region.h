#pragma once

namespace hasa {

/// A named stretch of the program, as NVIDIA's profilers show it (an NVTX range). Nothing in a build without CUDA.
class Region {
 public:
  explicit Region(const char* name);
  ~Region();  // NOLINT(performance-trivially-destructible): it ends the range in a build with CUDA
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

}  // namespace hasa
