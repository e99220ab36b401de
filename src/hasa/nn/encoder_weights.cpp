#include "hasa/nn/encoder_weights.h"

#include <ATen/ops/empty.h>

#include <cstring>
#include <optional>

#include "hasa/base/error.h"
#include "hasa/ops/core/finite.h"

namespace hasa {
namespace {

using torch::Tensor;

/// One tensor of a Hugging Face file and where its values live here: the whole of `*tensor`, or the part of
/// its rows that one of query, key and value takes.
struct Slot {
  std::string name;
  Tensor* tensor;
  std::vector<std::int64_t> shape;
  std::int64_t part = 0, parts = 1;
  bool optional = false;
};

/// Lists every slot of an encoder: loading, saving and the optimiser's list all follow from it.
class SlotList {
 public:
  SlotList(EncoderWeights& w, const EncoderConfig& config) : config_(config) {
    const std::int64_t hidden = config.hidden;
    add("embeddings.word_embeddings.weight", w.words, {config.vocabulary, hidden});
    add("embeddings.position_embeddings.weight", w.positions, {config.positions, hidden});
    if (config.segments > 0) add("embeddings.token_type_embeddings.weight", w.segments, {config.segments, hidden});
    norm("embeddings.LayerNorm", w.norm_weight, w.norm_bias);
    if (config.relative_buckets > 0) {
      add("encoder.relative_attention_bias.weight", w.relative_bias, {config.relative_buckets, config.heads});
    }
    for (std::size_t i = 0; i < w.layers.size(); ++i) layer(fmt::format("encoder.layer.{}.", i), w.layers[i]);
    const std::size_t before = slots.size();
    dense("pooler.dense", w.pooler_weight, w.pooler_bias, hidden, hidden);
    for (std::size_t i = before; i < slots.size(); ++i) slots[i].optional = true;
  }

  std::vector<Slot> slots;

 private:
  void add(std::string name, Tensor& tensor, std::vector<std::int64_t> shape, std::int64_t part = 0,
           std::int64_t parts = 1) {
    slots.push_back({std::move(name), &tensor, std::move(shape), part, parts});
  }
  void norm(const std::string& name, Tensor& weight, Tensor& bias) {
    add(name + ".weight", weight, {config_.hidden});
    add(name + ".bias", bias, {config_.hidden});
  }
  void dense(const std::string& name, Tensor& weight, Tensor& bias, std::int64_t out, std::int64_t in,
             std::int64_t part = 0, std::int64_t parts = 1) {
    add(name + ".weight", weight, {out, in}, part, parts);
    add(name + ".bias", bias, {out}, part, parts);
  }
  void layer(const std::string& at, EncoderLayer& l) {
    const std::int64_t hidden = config_.hidden;
    const bool mpnet = config_.architecture == Architecture::mpnet;
    const char* names[] = {mpnet ? "attn.q" : "self.query", mpnet ? "attn.k" : "self.key",
                           mpnet ? "attn.v" : "self.value"};
    for (std::int64_t part = 0; part < 3; ++part) {
      dense(at + "attention." + names[part], l.qkv_weight, l.qkv_bias, hidden, hidden, part, 3);
    }
    dense(at + "attention." + (mpnet ? "attn.o" : "output.dense"), l.out_weight, l.out_bias, hidden, hidden);
    norm(at + (mpnet ? "attention.LayerNorm" : "attention.output.LayerNorm"), l.attention_norm_weight,
         l.attention_norm_bias);
    dense(at + "intermediate.dense", l.up_weight, l.up_bias, config_.intermediate, hidden);
    dense(at + "output.dense", l.down_weight, l.down_bias, hidden, config_.intermediate);
    norm(at + "output.LayerNorm", l.output_norm_weight, l.output_norm_bias);
  }

  const EncoderConfig& config_;
};

/// "bert." when the file's word embeddings are "bert.embeddings.word_embeddings.weight".
std::string find_prefix(const SafeTensors& file) {
  constexpr std::string_view kWords = "embeddings.word_embeddings.weight";
  std::optional<std::string> prefix;
  for (const auto& [name, tensor] : file.tensors()) {
    if (!name.ends_with(kWords)) continue;
    std::string candidate = name.substr(0, name.size() - kWords.size());
    if (!prefix || candidate.size() < prefix->size()) prefix = std::move(candidate);
  }
  HASA_CHECK(prefix, data, "{}: no tensor {}: this is not a BERT or MPNet encoder", file.origin(), kWords);
  return *prefix;
}

/// TensorFlow's checkpoints called a norm's weight and bias gamma and beta.
std::string older_name(const std::string& name) {
  constexpr std::string_view kWeight = "LayerNorm.weight", kBias = "LayerNorm.bias";
  if (name.ends_with(kWeight)) return name.substr(0, name.size() - 6) + "gamma";
  if (name.ends_with(kBias)) return name.substr(0, name.size() - 4) + "beta";
  return name;
}

torch::Dtype float_type(const StoredTensor& stored, const std::string& origin, const std::string& name) {
  switch (stored.type) {
    case ElementType::f64: return torch::kFloat64;
    case ElementType::f32: return torch::kFloat32;
    case ElementType::f16: return torch::kHalf;
    case ElementType::bf16: return torch::kBFloat16;
    default: fail(ErrorKind::data, "{}: tensor {} holds {}, not floating point", origin, name, to_string(stored.type));
  }
}

/// A copy, since bytes in a file need not be aligned.
Tensor to_tensor(const StoredTensor& stored, torch::Dtype type) {
  Tensor result = at::empty(stored.shape, type);
  if (!stored.bytes.empty()) std::memcpy(result.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
  return result;
}

std::vector<std::int64_t> whole_shape(const Slot& slot) {
  std::vector<std::int64_t> shape = slot.shape;
  shape[0] *= slot.parts;
  return shape;
}

Tensor part_of(const Slot& slot) {
  const std::int64_t rows = slot.shape[0];
  return slot.parts == 1 ? *slot.tensor : slot.tensor->narrow(0, slot.part * rows, rows);
}

}  // namespace

EncoderWeights load_encoder_weights(const SafeTensors& file, const EncoderConfig& config, torch::Dtype dtype,
                                    torch::Device device) {
  const std::string prefix = find_prefix(file);
  EncoderWeights weights;
  weights.layers.resize(static_cast<std::size_t>(config.layers));
  SlotList list(weights, config);
  std::vector<std::string> missing;
  for (Slot& slot : list.slots) {
    const std::string name = prefix + slot.name;
    const StoredTensor* stored = file.find(name);
    if (stored == nullptr) stored = file.find(older_name(name));
    if (stored == nullptr) {
      if (!slot.optional) missing.push_back(name);
      continue;
    }
    HASA_CHECK(stored->shape == slot.shape, data, "{}: tensor {} is {}, but config.json asks for {}", file.origin(),
               name, format_shape(stored->shape), format_shape(slot.shape));
    const torch::Dtype type = float_type(*stored, file.origin(), name);
    if (!slot.tensor->defined()) *slot.tensor = at::empty(whole_shape(slot), torch::dtype(dtype).device(device));
    const Tensor values = to_tensor(*stored, type);
    HASA_CHECK(all_finite(values), data, "{}: tensor {} holds values that are not finite numbers: the file is damaged",
               file.origin(), name);
    part_of(slot).copy_(values);
  }
  HASA_CHECK(missing.empty(), data, "{}: {} tensor{} missing: {}{}", file.origin(), missing.size(),
             missing.size() == 1 ? " is" : "s are", missing.empty() ? "" : missing[0],
             missing.size() > 1 ? fmt::format(", {}{}", missing[1], missing.size() > 2 ? ", ..." : "") : "");
  if (!weights.pooler_bias.defined() || !weights.pooler_weight.defined()) {
    weights.pooler_weight = weights.pooler_bias = Tensor();
  }
  return weights;
}

EncoderWeights copy_weights(const EncoderWeights& weights, const EncoderConfig& config, torch::Dtype dtype) {
  const at::NoGradGuard no_gradients;
  EncoderWeights copy = weights;
  for (const Slot& slot : SlotList(copy, config).slots) {
    if (!slot.tensor->defined() || slot.part > 0) continue;
    *slot.tensor = slot.tensor->detach().to(dtype, /*non_blocking=*/false, /*copy=*/true);
  }
  return copy;
}

NamedTensors own_tensors(const EncoderWeights& weights, const EncoderConfig& config) {
  EncoderWeights handles = weights;
  NamedTensors result;
  for (const Slot& slot : SlotList(handles, config).slots) {
    if (!slot.tensor->defined() || slot.part > 0) continue;
    std::string name = slot.name;
    if (slot.parts > 1)
      name.replace(name.find_last_of('.', name.find_last_of('.') - 1) + 1, std::string::npos,
                   "qkv" + name.substr(name.find_last_of('.')));
    result.push_back({std::move(name), *slot.tensor});
  }
  return result;
}

NamedTensors hugging_face_tensors(const EncoderWeights& weights, const EncoderConfig& config) {
  EncoderWeights handles = weights;
  NamedTensors result;
  for (const Slot& slot : SlotList(handles, config).slots) {
    if (slot.tensor->defined()) result.push_back({slot.name, part_of(slot)});
  }
  return result;
}

}  // namespace hasa
