#include "hasa/ops/core/launch.h"

#include "hasa/base/error.h"

#ifdef HASA_CUDA
#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#endif

namespace hasa::kernels {
namespace {

std::string shown(const GridSize& size) { return fmt::format("{} x {} x {}", size.x, size.y, size.z); }

}  // namespace

std::string launch_error_text(const std::string& kernel, const LaunchSize& size, const std::string& reason,
                              bool is_own) {
  std::string text = fmt::format("the GPU did not start {} (grid {}, block {}, {} bytes of shared memory): {}", kernel,
                                 shown(size.grid), shown(size.block), size.shared_bytes, reason);
  if (!is_own) text += "\na kernel before it failed while it ran; CUDA_LAUNCH_BLOCKING=1 names that one instead";
  return text;
}

#ifdef HASA_CUDA

namespace {

std::string name_of(const void* kernel) {
  const char* mangled = nullptr;
  if (cudaFuncGetName(&mangled, kernel) != cudaSuccess || mangled == nullptr) return "a kernel";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? name.get() : mangled;
}

/// Errors that a launch makes by itself; all others come from kernels that were running.
bool is_of_launch(cudaError_t error) {
  return error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration ||
         error == cudaErrorLaunchOutOfResources || error == cudaErrorInvalidDeviceFunction ||
         error == cudaErrorNoKernelImageForDevice || error == cudaErrorInsufficientDriver ||
         error == cudaErrorMemoryAllocation;
}

}  // namespace

void fail_launch(const void* kernel, const LaunchSize& size, int error) {
  const auto code = static_cast<cudaError_t>(error);
  throw Error(ErrorKind::unavailable,
              launch_error_text(name_of(kernel), size, cudaGetErrorString(code), is_of_launch(code)));
}

void fail_cuda(const char* what, int error) {
  fail(ErrorKind::unavailable, "the GPU did not {}: {}", what, cudaGetErrorString(static_cast<cudaError_t>(error)));
}

#endif

}  // namespace hasa::kernels
