#include "hasa/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"
#include "hasa/base/version.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/train/generator_states.h"

namespace hasa {
namespace {

constexpr const char* kFormat = "3";

std::string generator_name(std::size_t i) { return i == 0 ? "generator" : "device_generator"; }

/// Over every tensor in order of name, and the state.
std::string checksum(const std::map<std::string, torch::Tensor>& tensors, const std::string& state) {
  std::uint64_t hash = hash_bytes(state.data(), state.size());
  for (const auto& [name, tensor] : tensors) {
    hash = hash_bytes(name.data(), name.size(), hash);
    hash = hash_bytes(tensor.const_data_ptr(), tensor.nbytes(), hash);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const NamedTensors& tensors, const TrainState& state,
                     const torch::Device& device) {
  std::map<std::string, torch::Tensor> held;
  for (const NamedTensor& each : tensors) held[each.name] = each.tensor.detach().cpu().contiguous();
  const GeneratorStates generators = GeneratorStates::of(device);
  for (std::size_t i = 0; i < generators.states.size(); ++i) held[generator_name(i)] = generators.states[i];
  TrainState copy = state;
  const std::string words = to_yaml(fields_of(copy));
  NamedTensors list;
  for (const auto& [name, tensor] : held) list.push_back({name, tensor});
  save_tensors(file, list,
               {{"format", kFormat}, {"hasa", version()}, {"state", words}, {"checksum", checksum(held, words)}});
}

TrainState read_state(const std::filesystem::path& file) {
  TrainState state;
  apply_yaml(fields_of(state), load_tensors(file, "no tensor").metadata_at("state"), file.string());
  return state;
}

TrainState load_checkpoint(const std::filesystem::path& file, const NamedTensors& tensors, const torch::Device& device,
                           const std::function<bool(const TrainState&)>& is_earlier) {
  const TensorFile stored = load_tensors(file);
  HASA_CHECK(stored.metadata_at("format") == kFormat, data,
             "{} was written by hasa {} in format {}, this is hasa {} with format {}\nfinish the run with that version",
             file.string(), stored.metadata_at("hasa"), stored.metadata_at("format"), version(), kFormat);
  HASA_CHECK(checksum(stored.tensors, stored.metadata_at("state")) == stored.metadata_at("checksum"), data,
             "{} is damaged: its checksum does not match", file.string());
  GeneratorStates generators = GeneratorStates::of(device);
  const auto of_devices = std::count_if(stored.tensors.begin(), stored.tensors.end(), [](const auto& entry) {
    return entry.first == generator_name(0) || entry.first == generator_name(1);
  });
  for (std::size_t i = 0; i < generators.states.size(); ++i) {
    const auto found = stored.tensors.find(generator_name(i));
    const bool fits = found != stored.tensors.end() && found->second.sizes() == generators.states[i].sizes() &&
                      of_devices == static_cast<std::ptrdiff_t>(generators.states.size());
    HASA_CHECK(fits, data,
               "{}: the generators' states belong to another device\nresume on the device the run was started on",
               file.string());
    generators.states[i] = found->second;
  }
  TrainState state;
  apply_yaml(fields_of(state), stored.metadata_at("state"), file.string());
  const bool grown = is_earlier && is_earlier(state);
  grown ? copy_into_grown(tensors, stored) : copy_into(tensors, stored);
  generators.restore();
  return state;
}

}  // namespace hasa
