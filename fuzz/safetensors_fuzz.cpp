// Any bytes must be refused with an error of kind data or give tensors whose bytes lie inside them.

#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "hasa/base/error.h"
#include "hasa/nn/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  try {
    const hasa::SafeTensors file = hasa::SafeTensors::parse(bytes, "input");
    std::size_t covered = 0;
    unsigned sum = 0;
    for (const auto& [name, tensor] : file.tensors()) {
      std::size_t count = hasa::element_size(tensor.type);
      for (const std::int64_t extent : tensor.shape) count *= static_cast<std::size_t>(extent);
      if (count != tensor.bytes.size()) std::abort();
      for (const std::byte each : tensor.bytes) sum += static_cast<unsigned>(each);  // reads every byte under ASan
      covered += tensor.bytes.size();
    }
    if (covered > size || sum == 1u << 31) std::abort();
  } catch (const hasa::Error& error) {
    if (error.kind() != hasa::ErrorKind::data) std::abort();
  }
  return 0;
}
