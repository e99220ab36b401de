#pragma once

#include <torch/types.h>

#include <optional>
#include <string>

#include "hasa/base/error.h"

namespace hasa {

/// Whether this build has CUDA and this machine a usable GPU.
bool cuda_is_available();

/// "auto" (a GPU if there is one), "cpu", "cuda" or "cuda:1". Throws config for
/// anything else, unavailable for a missing GPU. A GPU becomes this thread's current device.
torch::Device parse_device(const std::string& name);

/// "NVIDIA H200" or the processor's name.
std::string device_name(const torch::Device& device);

/// Peak GPU memory reserved by the allocator; 0 for the CPU.
std::int64_t peak_device_bytes(const torch::Device& device);
/// Peak GPU memory allocated by tensors: the minimum a device must have.
std::int64_t peak_tensor_bytes(const torch::Device& device);
/// What they hold now.
std::int64_t device_bytes(const torch::Device& device);
/// Its total memory, or the limit of cap_device_bytes; for a CPU, the machine's memory or the container's limit.
std::int64_t device_memory_bytes(const torch::Device& device);
/// Limits GPU memory from now on; larger allocations fail as if the memory did not exist.
void cap_device_bytes(const torch::Device& device, std::int64_t bytes);

/// Peak bfloat16 matrix throughput in FLOP/s; nullopt if unknown.
std::optional<double> matrix_peak(const torch::Device& device);

/// Synchronises until the device has computed this tensor.
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
