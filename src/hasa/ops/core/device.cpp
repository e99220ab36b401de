#include "hasa/ops/core/device.h"

#include <ATen/Context.h>

#include <algorithm>
#include <fstream>

#include "hasa/base/memory.h"

#ifdef HASA_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

namespace hasa {

#ifdef HASA_CUDA

bool cuda_is_available() { return at::hasCUDA() && c10::cuda::device_count() > 0; }

void* current_cuda_stream() { return at::cuda::getCurrentCUDAStream().stream(); }

namespace {
int cuda_devices() { return c10::cuda::device_count(); }
/// Kernels of our own run on the device that is current.
void make_current(int index) { c10::cuda::set_device(static_cast<c10::DeviceIndex>(index)); }
std::string cuda_name(int index) { return at::cuda::getDeviceProperties(index)->name; }
/// The allocator knows no device before CUDA is up, and may be asked for its share first of all.
void wake_cuda() { at::globalContext().lazyInitDevice(torch::kCUDA); }
double total_bytes(const torch::Device& device) {
  return static_cast<double>(at::cuda::getDeviceProperties(device.index())->totalGlobalMem);
}
c10::CachingDeviceAllocator::DeviceStats stats(const torch::Device& device) {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
}
}  // namespace

std::int64_t peak_device_bytes(const torch::Device& device) {
  return device.is_cuda() ? stats(device).reserved_bytes[0].peak : 0;
}

std::int64_t peak_tensor_bytes(const torch::Device& device) {
  return device.is_cuda() ? stats(device).allocated_bytes[0].peak : 0;
}

std::int64_t device_bytes(const torch::Device& device) {
  return device.is_cuda() ? stats(device).allocated_bytes[0].current : 0;
}

std::int64_t device_memory_bytes(const torch::Device& device) {
  if (!device.is_cuda()) return machine_bytes();
  wake_cuda();
  const double share = c10::cuda::CUDACachingAllocator::getMemoryFraction(device.index());
  return static_cast<std::int64_t>(total_bytes(device) * share);
}

void cap_device_bytes(const torch::Device& device, std::int64_t bytes) {
  if (!device.is_cuda()) return;
  wake_cuda();
  const double share = std::min(1.0, static_cast<double>(bytes) / total_bytes(device));
  c10::cuda::CUDACachingAllocator::setMemoryFraction(share, device.index());
}

#else

bool cuda_is_available() { return false; }

void* current_cuda_stream() { return nullptr; }

namespace {
int cuda_devices() { return 0; }
void make_current(int) {}
std::string cuda_name(int) { return "none"; }
}  // namespace

std::int64_t peak_device_bytes(const torch::Device&) { return 0; }

std::int64_t peak_tensor_bytes(const torch::Device&) { return 0; }

std::int64_t device_bytes(const torch::Device&) { return 0; }

std::int64_t device_memory_bytes(const torch::Device&) { return machine_bytes(); }

void cap_device_bytes(const torch::Device&, std::int64_t) {}

#endif

torch::Device parse_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto") return cuda_is_available() ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
  const bool numbered = name.starts_with("cuda:") && name.size() == 6 && name[5] >= '0' && name[5] <= '9';
  HASA_CHECK(name == "cuda" || numbered, config, "device is \"{}\", expected auto, cpu, cuda or cuda:N", name);
  const int index = numbered ? name[5] - '0' : 0;
#ifndef HASA_CUDA
  fail(ErrorKind::unavailable, "this build of hasa has no CUDA kernels; build it with the cuda preset, or use cpu");
#endif
  HASA_CHECK(index < cuda_devices(), unavailable, "device {} is not there: {} GPUs were found; use cpu", name,
             cuda_devices());
  make_current(index);
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

std::string device_name(const torch::Device& device) {
  if (device.is_cuda()) return cuda_name(device.index());
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "CPU";
}

void wait_for(const torch::Tensor& x) {
  // Fetching a value of it; an empty one has none to fetch and none to wait for.
  if (x.numel() > 0) (void)x.flatten()[0].item();
}

std::optional<double> matrix_peak(const torch::Device& device) {
  if (!device.is_cuda()) return std::nullopt;
  // What products reach in practice: the data sheets say a fifth more.
  const std::string name = device_name(device);
  for (const auto& [chip, peak] : {std::pair{"H200", 800e12}, {"H100", 800e12}, {"A100", 312e12}}) {
    if (name.find(chip) != std::string::npos) return peak;
  }
  return std::nullopt;
}

}  // namespace hasa
