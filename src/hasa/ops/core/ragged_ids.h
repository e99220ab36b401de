#pragma once

#include <torch/types.h>

namespace hasa {

/// Rows of ids that may share them: row i is ids[begin[i] .. end[i]).
struct IdRanges {
  torch::Tensor ids;         // [total] int32
  torch::Tensor begin, end;  // [rows] int64

  std::int64_t rows() const { return begin.size(0); }
  /// Rows first .. last.
  IdRanges slice(std::int64_t first, std::int64_t last) const {
    return {ids, begin.slice(0, first, last), end.slice(0, first, last)};
  }
};

/// Rows of ids of different lengths: row i is ids[offsets[i] .. offsets[i + 1]).
struct RaggedIds {
  torch::Tensor ids;      // [total] int64
  torch::Tensor offsets;  // [rows + 1] int64

  std::int64_t rows() const { return offsets.size(0) - 1; }

  /// The row each id belongs to, [total] int64.
  torch::Tensor row_of_each() const {
    const torch::Tensor lengths = offsets.slice(0, 1) - offsets.slice(0, 0, -1);
    // With their number said, a GPU need not be waited for.
    return torch::repeat_interleave(lengths, std::optional<std::int64_t>(ids.size(0)));
  }
  IdRanges ranges() const { return {ids.to(torch::kInt32), offsets.slice(0, 0, -1), offsets.slice(0, 1)}; }
  RaggedIds to(torch::Device device) const { return {ids.to(device), offsets.to(device)}; }
  /// Rows first .. last, sharing memory with these.
  RaggedIds slice(std::int64_t first, std::int64_t last) const {
    const std::int64_t begin = offsets[first].item<std::int64_t>();
    const std::int64_t end = offsets[last].item<std::int64_t>();
    return {ids.slice(0, begin, end), offsets.slice(0, first, last + 1) - begin};
  }
};

}  // namespace hasa
