#pragma once

#include <torch/types.h>

#include <bit>
#include <cstdint>
#include <limits>

namespace hasa::kernels {

// A key is a score and an entity in one integer: the greater key has the greater score or, of equal scores, the
// smaller id. Above, the bits of the score, those below the sign flipped for a negative one, so that they compare
// as the scores do; below, 2^31 - 1 - id. Keys of different entities differ, so every way of finding the greatest
// finds the same.

constexpr std::int64_t kNoKey = std::numeric_limits<std::int64_t>::min();  // no score has it: below minus infinity's
constexpr std::int64_t kGreatestId = std::numeric_limits<std::int32_t>::max();

inline std::int64_t key_of(float score, std::int64_t id) {
  // Adding zero makes -0 the equal of 0.
  const auto bits = std::bit_cast<std::int32_t>(score + 0.0F);
  const std::int64_t ordered = bits < 0 ? bits ^ std::numeric_limits<std::int32_t>::max() : bits;
  return ordered * (std::int64_t{1} << 32) + (kGreatestId - id);
}

inline float score_of(std::int64_t key) {
  const auto ordered = static_cast<std::int32_t>(key >> 32);
  return std::bit_cast<float>(ordered < 0 ? ordered ^ std::numeric_limits<std::int32_t>::max() : ordered);
}

/// -1 for kNoKey.
torch::Tensor ids_of(const torch::Tensor& keys);

/// Places of scores to leave out: row[i] and the entity id[i]; entities that the scores do not hold are passed over.
struct ExcludedCells {
  torch::Tensor row;  // [cells] int64
  torch::Tensor id;   // [cells] int64
};

// The min(k, columns) greatest keys of each row of scores [rows, columns] float32, greatest first, kNoKey after the
// last; column 0 is the entity first_entity. The scores are overwritten. The second, of tensor operations, is for
// any device.

torch::Tensor top_keys_cpu(const torch::Tensor& scores, std::int64_t first_entity, const ExcludedCells& excluded,
                           std::int64_t k);
torch::Tensor top_keys_composed(const torch::Tensor& scores, std::int64_t first_entity, const ExcludedCells& excluded,
                                std::int64_t k);

constexpr std::int64_t kBytesPerScore = 4;
/// The score, its ordered bits, its key and a flag, and as much as a key again for topk.
constexpr std::int64_t kBytesPerScoreComposed = 4 + 4 + 8 + 1 + 8;

}  // namespace hasa::kernels
