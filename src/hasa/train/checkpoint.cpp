#include "hasa/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"
#include "hasa/base/version.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/train/generator_states.h"
#include "hasa/train/sharded_tensors.h"

namespace hasa {
namespace {

constexpr const char* kFormat = "3";

std::string generator_name(std::size_t i) { return i == 0 ? "generator" : "device_generator"; }

constexpr const char* kNoChecksum = "0000000000000000";

/// Over the state, and every tensor in order of name.
class Checksum {
 public:
  explicit Checksum(const std::string& state) : hash_(hash_bytes(state.data(), state.size())) {}

  /// Of a tensor, whose values body(hash) adds in parts.
  template <class Body>
  void add(const std::string& name, const Body& body) {
    HashOfParts hash(hash_bytes(name.data(), name.size(), hash_));
    body(hash);
    hash_ = hash.value();
  }
  std::string words() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_;
};

const std::string& metadata_at(const SafeTensors& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  HASA_CHECK(found != file.metadata().end(), data, "{} says nothing about {}", file.origin(), key);
  return found->second;
}

void check_intact(const SafeTensors& file) {
  const std::string& format = metadata_at(file, "format");
  HASA_CHECK(format == kFormat, data,
             "{} was written by hasa {} in format {}, this is hasa {} with format {}\nfinish the run with that version",
             file.origin(), metadata_at(file, "hasa"), format, version(), kFormat);
  Checksum checksum(metadata_at(file, "state"));
  for (const auto& [name, tensor] : file.tensors())
    checksum.add(name, [&, &bytes = tensor.bytes](HashOfParts& hash) { hash.add(bytes.data(), bytes.size()); });
  HASA_CHECK(checksum.words() == metadata_at(file, "checksum"), data, "{} is damaged: its checksum does not match",
             file.origin());
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const NamedTensors& tensors, const TrainState& state,
                     const torch::Device& device, Comm& comm) {
  std::map<std::string, NamedTensor> in_order;
  for (const NamedTensor& each : tensors) in_order[each.name] = each;
  const GeneratorStates generators = GeneratorStates::of(device);
  for (std::size_t i = 0; i < generators.states.size(); ++i)
    in_order[generator_name(i)] = {generator_name(i), generators.states[i]};
  TrainState copy = state;
  const std::string words = to_yaml(fields_of(copy));
  std::vector<TensorOutline> outlines;
  for (const auto& [name, tensor] : in_order) outlines.push_back(outline_of(tensor));
  std::optional<SafeTensorsWriter> file;
  if (comm.first()) {
    file.emplace(path, outlines,
                 std::map<std::string, std::string>{
                     {"format", kFormat}, {"hasa", version()}, {"state", words}, {"checksum", kNoChecksum}});
  }
  Checksum checksum(words);
  std::size_t place = 0;
  for (const auto& [name, tensor] : in_order) {
    checksum.add(name, [&, &each = tensor](HashOfParts& hash) {
      visit_on_first(each, comm, [&](const torch::Tensor& rows) {
        hash.add(rows.const_data_ptr(), rows.nbytes());
        file->write(place, bytes_of(rows));
      });
    });
    ++place;
  }
  if (!file) return;
  file->replace("checksum", checksum.words());
  file->commit();
}

TrainState read_state(const std::filesystem::path& path) {
  TrainState state;
  apply_yaml(fields_of(state), metadata_at(SafeTensors::open(path), "state"), path.string());
  return state;
}

TrainState load_checkpoint(const std::filesystem::path& path, const NamedTensors& tensors, const torch::Device& device,
                           const std::function<bool(const TrainState&)>& is_earlier) {
  const SafeTensors file = SafeTensors::open(path);
  check_intact(file);
  GeneratorStates generators = GeneratorStates::of(device);
  const auto of_devices = std::ranges::count_if(file.tensors(), [](const auto& entry) {
    return entry.first == generator_name(0) || entry.first == generator_name(1);
  });
  for (std::size_t i = 0; i < generators.states.size(); ++i) {
    const StoredTensor* found = file.find(generator_name(i));
    const bool fits = found != nullptr && found->shape == generators.states[i].sizes().vec() &&
                      of_devices == static_cast<std::ptrdiff_t>(generators.states.size());
    HASA_CHECK(fits, data,
               "{}: the generators' states belong to another device\nresume on the device the run was started on",
               path.string());
    copy_rows_into({generator_name(i), generators.states[i]}, file, 0, generators.states[i].size(0));
  }
  TrainState state;
  apply_yaml(fields_of(state), metadata_at(file, "state"), path.string());
  if (is_earlier && is_earlier(state)) {
    HASA_CHECK(std::ranges::none_of(tensors, &NamedTensor::sharded), config,
               "{}: the graph has grown since, and sharded tables cannot take new entities\n"
               "resume once with --set tables.sharded=never, or in one process",
               path.string());
    copy_into_grown(tensors, load_tensors(path));
  } else {
    for (const NamedTensor& each : tensors) {
      const std::int64_t rows = each.tensor.dim() == 0 ? 0 : each.tensor.size(0);
      copy_rows_into(each, file, 0, each.sharded() ? each.whole_rows : rows);
    }
  }
  generators.restore();
  return state;
}

}  // namespace hasa
