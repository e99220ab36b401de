#include "hasa/train/generator_states.h"

#include <ATen/Context.h>

#include <mutex>

namespace hasa {
namespace {

std::vector<torch::Device> devices_of(const torch::Device& device) {
  std::vector<torch::Device> devices = {torch::kCPU};
  if (!device.is_cpu()) devices.push_back(device);
  return devices;
}

}  // namespace

GeneratorStates GeneratorStates::of(const torch::Device& device) {
  GeneratorStates result{{}, device};
  for (const torch::Device& each : devices_of(device)) {
    at::Generator generator = at::globalContext().defaultGenerator(each);
    const std::lock_guard lock(generator.mutex());
    result.states.push_back(generator.get_state().clone());
  }
  return result;
}

void GeneratorStates::restore() const {
  const std::vector<torch::Device> devices = devices_of(device);
  for (std::size_t i = 0; i < states.size(); ++i) {
    at::Generator generator = at::globalContext().defaultGenerator(devices[i]);
    const std::lock_guard lock(generator.mutex());
    generator.set_state(states[i]);
  }
}

}  // namespace hasa
