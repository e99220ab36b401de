#pragma once

#include <torch/types.h>

#include <cstdint>

namespace hasa {

/// The best of scores that are there already.
struct TopScores {
  torch::Tensor ids;     // [q, k] int64, the columns; -1 where fewer are left
  torch::Tensor scores;  // [q, k] float32, of these; not numbers where fewer are left
};

/// The k highest of each row of scores [q, n] float32, highest first, of equal ones the smaller column first. A score
/// that is not a number is left out; infinite ones are scores like others. The scores are overwritten. On their device,
/// as top_entities has it; no gradient.
TopScores top_scores(const torch::Tensor& scores, std::int64_t k);

/// A sort of each row.
TopScores top_scores_reference(const torch::Tensor& scores, std::int64_t k);

}  // namespace hasa
