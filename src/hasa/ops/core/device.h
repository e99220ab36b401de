#pragma once

#include <torch/types.h>

#include <optional>
#include <string>

#include "hasa/base/error.h"

namespace hasa {

/// Whether this build has CUDA and this machine a GPU it can use.
bool cuda_is_available();

/// "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:1". Throws config for another word, unavailable
/// for a GPU that is not there. A GPU becomes this thread's current one.
torch::Device parse_device(const std::string& name);

/// "NVIDIA H200" or the processor's name.
std::string device_name(const torch::Device& device);

/// What tensors on a GPU hold at most so far, as the allocator has taken it from the system; 0 for the CPU.
std::int64_t peak_device_bytes(const torch::Device& device);
/// The same without what the allocator holds in reserve: what a device must have at least.
std::int64_t peak_tensor_bytes(const torch::Device& device);
/// What they hold now.
std::int64_t device_bytes(const torch::Device& device);
/// All the memory it has, or as much as cap_device_bytes allows; for a CPU, the machine's, or what a container allows.
std::int64_t device_memory_bytes(const torch::Device& device);
/// From now on a GPU is asked for no more than this; what needs more fails as if the memory were not there.
void cap_device_bytes(const torch::Device& device, std::int64_t bytes);

/// What its matrix units do in bfloat16 in a second at best, in floating-point operations; nullopt where unknown.
std::optional<double> matrix_peak(const torch::Device& device);

/// Waits until the device has made this tensor.
void wait_for(const torch::Tensor& x);

/// The current CUDA stream as a pointer, for kernels that take pointers and a stream.
void* current_cuda_stream();

/// Runs on_cpu() or, for a CUDA device, on_cuda(stream). Kernels are only there in a build with CUDA, and a
/// build without it never sees a CUDA tensor, so the second is compiled away.
template <class OnCpu, class OnCuda>
void dispatch(const torch::Device& device, const OnCpu& on_cpu, [[maybe_unused]] const OnCuda& on_cuda) {
  if (device.is_cpu()) {
    on_cpu();
    return;
  }
#ifdef HASA_CUDA
  on_cuda(current_cuda_stream());
#else
  fail(ErrorKind::unavailable, "this build of hasa has no CUDA kernels; build it with the cuda preset");
#endif
}

}  // namespace hasa
