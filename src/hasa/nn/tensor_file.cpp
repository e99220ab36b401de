#include "hasa/nn/tensor_file.h"

#include <cstring>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"
#include "hasa/nn/safetensors.h"
#include "hasa/ops/core/finite.h"

namespace hasa {

ElementType element_type_of(const torch::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case torch::kFloat32: return ElementType::f32;
    case torch::kFloat64: return ElementType::f64;
    case torch::kHalf: return ElementType::f16;
    case torch::kBFloat16: return ElementType::bf16;
    case torch::kInt64: return ElementType::i64;
    case torch::kUInt8: return ElementType::u8;
    default: fail(ErrorKind::shape, "tensors of type {} are not stored", c10::toString(tensor.scalar_type()));
  }
}

std::span<const std::byte> bytes_of(const torch::Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
}

namespace {

torch::Dtype dtype_of(ElementType type, const std::string& where) {
  switch (type) {
    case ElementType::f32: return torch::kFloat32;
    case ElementType::f64: return torch::kFloat64;
    case ElementType::f16: return torch::kHalf;
    case ElementType::bf16: return torch::kBFloat16;
    case ElementType::i64: return torch::kInt64;
    case ElementType::u8: return torch::kUInt8;
    default: fail(ErrorKind::data, "{}: tensors of type {} are not expected here", where, to_string(type));
  }
}

[[noreturn]] void refuse_shape(const TensorFile& file, const NamedTensor& target, const torch::Tensor& stored) {
  fail(ErrorKind::data, "{}: {} has shape {}, this model needs {}", file.path.string(), target.name,
       format_shape(stored.sizes()), format_shape(target.tensor.sizes()));
}

/// Whether the stored tensor has fewer rows of those that come with the graph, and is else of the same shape.
bool has_grown(const NamedTensor& target, const torch::Tensor& stored) {
  const torch::Tensor& grown = target.tensor;
  if (target.rows != Rows::appended && target.rows != Rows::directed) return false;
  if (stored.dim() != grown.dim() || stored.dim() == 0 || stored.size(0) >= grown.size(0)) return false;
  if (target.rows == Rows::directed && stored.size(0) % 2 != 0) return false;
  return stored.sizes().slice(1) == grown.sizes().slice(1);
}

}  // namespace

const torch::Tensor& TensorFile::at(const std::string& name) const {
  const auto found = tensors.find(name);
  HASA_CHECK(found != tensors.end(), data, "{} has no tensor {}", path.string(), name);
  return found->second;
}

const std::string& TensorFile::metadata_at(const std::string& name) const {
  const auto found = metadata.find(name);
  HASA_CHECK(found != metadata.end(), data, "{} says nothing about {}", path.string(), name);
  return found->second;
}

void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const std::map<std::string, std::string>& metadata) {
  std::vector<torch::Tensor> held;  // what the entries point into
  std::vector<TensorToWrite> entries;
  for (const NamedTensor& each : tensors) {
    held.push_back(each.tensor.detach().cpu().contiguous());
    const torch::Tensor& t = held.back();
    entries.push_back({each.name, {element_type_of(t), t.sizes().vec(), bytes_of(t)}});
  }
  write_safetensors(path, entries, metadata);
}

TensorFile load_tensors(const std::filesystem::path& path, const std::string& prefix) {
  const SafeTensors stored = SafeTensors::open(path);
  TensorFile file{path, {}, stored.metadata()};
  for (const auto& [name, tensor] : stored.tensors()) {
    if (!name.starts_with(prefix)) continue;
    torch::Tensor copy = torch::empty(tensor.shape, dtype_of(tensor.type, path.string() + ", " + name));
    if (!tensor.bytes.empty()) std::memcpy(copy.mutable_data_ptr(), tensor.bytes.data(), tensor.bytes.size());
    file.tensors.emplace(name, copy);
  }
  return file;
}

TensorFile load_weights(const std::filesystem::path& path, const std::string& prefix) {
  TensorFile file = load_tensors(path, prefix);
  for (const auto& [name, tensor] : file.tensors) {
    HASA_CHECK(all_finite(tensor), data, "{}: {} holds values that are not finite numbers: the file is damaged",
               path.string(), name);
  }
  return file;
}

std::string checksum_of(const NamedTensors& tensors) {
  std::uint64_t hash = 0;
  for (const NamedTensor& each : tensors) {
    const torch::Tensor values = each.tensor.detach().cpu().contiguous();
    const std::string about = each.name + format_shape(values.sizes());
    hash = hash_bytes(about.data(), about.size(), hash);
    hash = hash_bytes(values.const_data_ptr(), values.nbytes(), hash);
  }
  return fmt::format("{:016x}", hash);
}

void copy_rows_into(const NamedTensor& target, const SafeTensors& file, std::int64_t first, std::int64_t rows) {
  const torch::NoGradGuard no_grad;
  HASA_CHECK(file.find(target.name) != nullptr, data, "{} has no tensor {}", file.origin(), target.name);
  const StoredTensor& stored = file.at(target.name);
  std::vector<std::int64_t> shape = target.tensor.sizes().vec();
  if (!shape.empty()) shape[0] = rows;
  HASA_CHECK(stored.shape == shape, data, "{}: {} has shape {}, this model needs {}", file.origin(), target.name,
             format_shape(stored.shape), format_shape(shape));
  const ElementType type = element_type_of(target.tensor);
  HASA_CHECK(stored.type == type, data, "{}: {} holds {}, this model needs {}", file.origin(), target.name,
             to_string(stored.type), to_string(type));
  torch::Tensor values = torch::empty(target.tensor.sizes(), target.tensor.options().device(torch::kCPU));
  if (values.numel() > 0) {
    const std::size_t before = shape.empty() ? 0 : static_cast<std::size_t>(first * (values.nbytes() / values.size(0)));
    std::memcpy(values.mutable_data_ptr(), stored.bytes.data() + before, values.nbytes());
  }
  target.tensor.copy_(values);
}

void copy_into(const NamedTensors& targets, const TensorFile& file, const std::string& prefix) {
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& target : targets) {
    const torch::Tensor& stored = file.at(prefix + target.name);
    if (stored.sizes() != target.tensor.sizes()) refuse_shape(file, target, stored);
    target.tensor.copy_(stored);
  }
}

void copy_into_grown(const NamedTensors& targets, const TensorFile& file) {
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& target : targets) {
    if (target.rows == Rows::of_steps) continue;
    const torch::Tensor& stored = file.at(target.name);
    const std::int64_t rows = stored.dim() == 0 ? 0 : stored.size(0);
    if (stored.sizes() == target.tensor.sizes()) {
      target.tensor.copy_(stored);
    } else if (!has_grown(target, stored)) {
      refuse_shape(file, target, stored);
    } else if (target.rows == Rows::appended) {
      target.tensor.narrow(0, 0, rows).copy_(stored);
    } else {
      const std::int64_t half = rows / 2, inverses = target.tensor.size(0) / 2;
      target.tensor.narrow(0, 0, half).copy_(stored.narrow(0, 0, half));
      target.tensor.narrow(0, inverses, half).copy_(stored.narrow(0, half, half));
    }
  }
}

}  // namespace hasa
