#include "hasa/serve/entity_index.h"

#include <algorithm>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/serve/nearest_rows.h"

namespace hasa {
namespace {

class ExactIndex : public EntityIndex {
 public:
  ExactIndex(torch::Tensor entities, Similarity similarity)
      : entities_(std::move(entities)), similarity_(similarity) {}

  std::int64_t size() const override { return entities_.size(0); }
  std::int64_t dim() const override { return entities_.size(1); }
  Nearest nearest(const torch::Tensor& queries, std::int64_t k) const override {
    return nearest_rows(queries, size(), k, similarity_, [&](std::int64_t first, std::int64_t last) {
      return entities_.slice(0, first, last);
    });
  }

 private:
  torch::Tensor entities_;
  Similarity similarity_;
};

}  // namespace

std::unique_ptr<EntityIndex> exact_index(const torch::Tensor& entities, Similarity similarity) {
  HASA_CHECK(entities.dim() == 2 && entities.is_cpu() && entities.scalar_type() == torch::kFloat32, shape,
             "an index takes vectors [entities, dim] in float32 on the CPU");
  return std::make_unique<ExactIndex>(entities, similarity);
}

double recall(const Nearest& found, const Nearest& exact) {
  const std::int64_t rows = exact.entities.size(0), k = exact.entities.size(1);
  HASA_CHECK(found.entities.sizes() == exact.entities.sizes(), shape, "recall of answers to other questions");
  std::int64_t hits = 0, all = 0;
  const auto* right = exact.entities.const_data_ptr<std::int64_t>();
  const auto* given = found.entities.const_data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row, right += k, given += k) {
    for (std::int64_t i = 0; i < k; ++i) {
      if (right[i] < 0) continue;
      ++all;
      hits += std::find(given, given + k, right[i]) != given + k ? 1 : 0;
    }
  }
  return all == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(all);
}

}  // namespace hasa
