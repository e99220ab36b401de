#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "hasa/base/archive.h"
#include "hasa/ops/score/similarity.h"
#include "hasa/serve/entity_index.h"

namespace hasa {

/// How numbers of a stored vector are kept: float32; halves, of 11 binary digits; or bytes, each row scaled by its
/// greatest number, 127 steps either way.
enum class VectorPrecision : std::uint8_t { f32, f16, i8 };

const char* to_string(VectorPrecision precision);  // "f32", "f16", "i8"

/// The vectors of entities in a file that is mapped: memory is what the system keeps of it, and shared by all processes
/// that have it open. An archive (base/archive.h) of kind "vectors":
///
///   about   precision, similarity, entities, dim as int64      values  [entities, dim], row after row
///   scales  [entities] float32, of bytes alone
class StoredVectors : public EntityIndex {
 public:
  /// entities [n, dim] float32, of any device. The file is written atomically.
  static void write(const std::filesystem::path& file, const torch::Tensor& entities, Similarity similarity,
                    VectorPrecision precision);
  /// Throws data for what is no such file, or a damaged one.
  explicit StoredVectors(const std::filesystem::path& file);

  std::int64_t size() const override { return size_; }
  std::int64_t dim() const override { return dim_; }
  Similarity similarity() const { return similarity_; }
  VectorPrecision precision() const { return precision_; }
  /// Compares every entity, by its numbers as they are stored.
  Nearest nearest(const torch::Tensor& queries, std::int64_t k) const override;
  /// Rows first .. last, [last - first, dim] float32.
  torch::Tensor rows(std::int64_t first, std::int64_t last) const;

 private:
  Archive archive_;
  std::int64_t size_ = 0, dim_ = 0;
  Similarity similarity_ = Similarity::dot;
  VectorPrecision precision_ = VectorPrecision::f32;
};

}  // namespace hasa
