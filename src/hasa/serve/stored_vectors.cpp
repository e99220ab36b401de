#include "hasa/serve/stored_vectors.h"

#include <ATen/ops/from_blob.h>

#include <limits>
#include <span>

#include "hasa/base/error.h"
#include "hasa/serve/nearest_rows.h"

namespace hasa {
namespace {

constexpr std::uint32_t kVectorsFormat = 1;
constexpr const char* kVectorsKind = "vectors";
constexpr const char* const kPrecisions[] = {"f32", "f16", "i8"};
constexpr float kByteSteps = 127;

torch::Dtype dtype_of(VectorPrecision precision) {
  return precision == VectorPrecision::f32   ? torch::kFloat32
         : precision == VectorPrecision::f16 ? torch::kFloat16
                                             : torch::kInt8;
}

template <class T>
std::span<const T> values_of(const torch::Tensor& tensor) {
  return {static_cast<const T*>(tensor.const_data_ptr()), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

const char* to_string(VectorPrecision precision) { return kPrecisions[static_cast<std::size_t>(precision)]; }

void StoredVectors::write(const std::filesystem::path& file, const torch::Tensor& entities, Similarity similarity,
                          VectorPrecision precision) {
  HASA_CHECK(entities.dim() == 2, shape, "vectors to store are [entities, dim]");
  const torch::NoGradGuard no_grad;
  const std::vector<std::int64_t> about{static_cast<std::int64_t>(precision), static_cast<std::int64_t>(similarity),
                                        entities.size(0), entities.size(1)};
  torch::Tensor values = entities.to(torch::kCPU, torch::kFloat32), scales;
  if (precision == VectorPrecision::i8) {
    scales = values.numel() == 0 ? torch::ones({values.size(0)}) : std::get<0>(values.abs().max(1)) / kByteSteps;
    scales.clamp_min_(std::numeric_limits<float>::min());
    values = (values / scales.unsqueeze(1)).round();
  }
  values = values.to(dtype_of(precision)).contiguous();
  ArchiveWriter writer(kVectorsKind, kVectorsFormat);
  writer.add("about", about);
  writer.add("values", std::span(static_cast<const std::byte*>(values.const_data_ptr()), values.nbytes()));
  if (scales.defined()) writer.add("scales", values_of<float>(scales));
  writer.save(file);
}

StoredVectors::StoredVectors(const std::filesystem::path& file) : archive_(file, kVectorsKind, kVectorsFormat) {
  const auto about = archive_.section<std::int64_t>("about");
  bool sound = about.size() == 4 && about[0] >= 0 && about[0] <= 2 && about[1] >= 0 && about[1] <= 3 && about[2] >= 0 &&
               about[3] >= 0 && about[2] < INT32_MAX && about[3] < INT32_MAX;
  if (sound) {
    precision_ = static_cast<VectorPrecision>(about[0]);
    similarity_ = static_cast<Similarity>(about[1]);
    size_ = about[2];
    dim_ = about[3];
    const auto bytes = static_cast<std::int64_t>(archive_.section<std::byte>("values").size());
    sound = bytes == size_ * dim_ * static_cast<std::int64_t>(torch::elementSize(dtype_of(precision_)));
    if (precision_ == VectorPrecision::i8) sound = sound && std::ssize(archive_.section<float>("scales")) == size_;
  }
  HASA_CHECK(sound, data, "{} holds no vectors of entities: its parts do not fit each other", file.string());
}

torch::Tensor StoredVectors::rows(std::int64_t first, std::int64_t last) const {
  const torch::Dtype dtype = dtype_of(precision_);
  const auto row_bytes = dim_ * static_cast<std::int64_t>(torch::elementSize(dtype));
  const std::byte* from = archive_.section<std::byte>("values").data() + first * row_bytes;
  // from_blob takes a mutable pointer; nothing is written through it.
  const torch::Tensor stored = at::from_blob(const_cast<std::byte*>(from), {last - first, dim_}, dtype);
  if (precision_ == VectorPrecision::f32) return stored;
  torch::Tensor rows = stored.to(torch::kFloat32);
  if (precision_ == VectorPrecision::f16) return rows;
  const float* scales = archive_.section<float>("scales").data() + first;
  return rows.mul_(at::from_blob(const_cast<float*>(scales), {last - first, 1}, torch::kFloat32));
}

Nearest StoredVectors::nearest(const torch::Tensor& queries, std::int64_t k) const {
  return nearest_rows(queries, size_, k, similarity_,
                      [&](std::int64_t first, std::int64_t last) { return rows(first, last); });
}

}  // namespace hasa
