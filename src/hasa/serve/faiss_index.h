#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "hasa/serve/entity_index.h"
#include "hasa/serve/stored_vectors.h"

namespace hasa {

/// What kind of index: lists of like vectors, of which some are looked through (IVF), or a graph of neighbours that is
/// walked (HNSW), which takes more memory and longer to build.
enum class IndexKind : std::uint8_t { ivf, hnsw };

struct FaissOptions {
  IndexKind kind = IndexKind::ivf;
  VectorPrecision precision = VectorPrecision::f32;
  std::int64_t lists = 0;  // of IVF; 0: four times the square root of the entities
  std::int64_t links = 32;  // of HNSW, of each entity
  std::int64_t seed = 1;
};

/// An approximate index by FAISS, for graphs on which comparing every entity takes too long: beyond a million. Works for
/// dot products and L2 distances. Programs built without FAISS throw unavailable, naming the option that was off.
class FaissIndex : public EntityIndex {
 public:
  static bool is_built_in();
  /// entities [n, dim] float32 on the CPU
  static std::unique_ptr<FaissIndex> build(const torch::Tensor& entities, Similarity similarity,
                                           const FaissOptions& options);
  /// What save() wrote, mapped where the kind allows it. Throws data for what FAISS cannot read.
  static std::unique_ptr<FaissIndex> open(const std::filesystem::path& file);
  /// As FAISS itself writes it; it appears whole or not at all.
  virtual void save(const std::filesystem::path& file) const = 0;

  /// How much is looked at for a query: lists of IVF, candidates of HNSW. The more, the better found and the longer.
  virtual std::int64_t effort() const = 0;
  virtual void set_effort(std::int64_t effort) = 0;
  virtual std::int64_t most_effort() const = 0;
};

/// Doubles the effort until the recall on these queries is at least `wanted`, or all is looked at; returns the recall.
double tune(FaissIndex& index, const torch::Tensor& queries, const Nearest& exact, double wanted);

}  // namespace hasa
