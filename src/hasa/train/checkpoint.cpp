#include "hasa/train/checkpoint.h"

#include <ATen/Context.h>

#include "hasa/base/error.h"
#include "hasa/base/version.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

constexpr const char* kFormat = "1";

at::Generator generator_of(const torch::Device& device) { return at::globalContext().defaultGenerator(device); }

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const NamedTensors& model, const NamedTensors& optimiser,
                     const TrainState& state, const torch::Device& device) {
  NamedTensors tensors;
  append(tensors, "model", model);
  append(tensors, "optimiser", optimiser);
  tensors.push_back({"generator", generator_of(device).get_state()});
  TrainState copy = state;
  save_tensors(file, tensors, {{"format", kFormat}, {"hasa", version()}, {"state", to_yaml(fields_of(copy))}});
}

TrainState load_checkpoint(const std::filesystem::path& file, const NamedTensors& model, const NamedTensors& optimiser,
                           const torch::Device& device) {
  const TensorFile stored = load_tensors(file);
  HASA_CHECK(stored.metadata_at("format") == kFormat, data,
             "{} was written by hasa {} in format {}, this is hasa {} with format {}\nfinish the run with that version",
             file.string(), stored.metadata_at("hasa"), stored.metadata_at("format"), version(), kFormat);
  copy_into(model, stored, "model.");
  copy_into(optimiser, stored, "optimiser.");
  at::Generator generator = generator_of(device);
  const torch::Tensor& saved = stored.at("generator");
  HASA_CHECK(saved.sizes() == generator.get_state().sizes(), data,
             "{}: the generator's state is of another device\nresume on the device the run was started on",
             file.string());
  generator.set_state(saved);
  TrainState state;
  apply_yaml(fields_of(state), stored.metadata_at("state"), file.string());
  return state;
}

}  // namespace hasa
