#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "hasa/ops/core/cpu_vector.h"
#include "hasa/ops/score/top_entities_kernels.h"

namespace hasa::kernels {
namespace {

constexpr std::int64_t kBlock = 8 * cpu::kLanes;

/// The first multiple of kBlock after which kBlock scores hold one above the bound, or where fewer are left.
[[gnu::always_inline]] inline std::int64_t skip_below(const float* row, std::int64_t i, std::int64_t n, float bound) {
  for (; i + kBlock <= n; i += kBlock) {
    // What is not a number is never greater, so it never gets in here.
    cpu::Vector greatest = cpu::splat(bound);
    for (std::int64_t j = 0; j < kBlock; j += cpu::kLanes) greatest = cpu::greater(cpu::load(row + i + j), greatest);
    if (cpu::greatest(greatest) > bound) return i;
  }
  return i;
}

/// The best of a row so far, the least of them in front.
class BestKeys {
 public:
  explicit BestKeys(std::int64_t k) : k_(static_cast<std::size_t>(k)) { keys_.reserve(k_); }

  bool is_full() const { return keys_.size() == k_; }
  float bound() const { return score_of(keys_.front()); }
  void add(float score, std::int64_t id) {
    keys_.push_back(key_of(score, id));
    std::push_heap(keys_.begin(), keys_.end(), std::greater<>());
  }
  /// Ids rise as a row is read, so an equal score never displaces one.
  void replace_least(float score, std::int64_t id) {
    std::pop_heap(keys_.begin(), keys_.end(), std::greater<>());
    keys_.pop_back();
    add(score, id);
  }
  void write_and_clear(std::int64_t* out) {
    std::sort_heap(keys_.begin(), keys_.end(), std::greater<>());
    std::fill(std::copy(keys_.begin(), keys_.end(), out), out + k_, kNoKey);
    keys_.clear();
  }

 private:
  std::size_t k_;
  std::vector<std::int64_t> keys_;
};

void read_row(const float* row, std::int64_t n, std::int64_t first_entity, BestKeys& best) {
  std::int64_t i = 0;
  for (; i < n && !best.is_full(); ++i) {
    if (!std::isnan(row[i])) best.add(row[i], first_entity + i);
  }
  while (i < n) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) { i = skip_below(row, i, n, best.bound()); });
    for (const std::int64_t end = std::min(n, i + kBlock); i < end; ++i) {
      if (row[i] > best.bound()) best.replace_least(row[i], first_entity + i);
    }
  }
}

}  // namespace

torch::Tensor top_keys_cpu(const torch::Tensor& scores, std::int64_t first_entity, const ExcludedCells& excluded,
                           std::int64_t k) {
  const std::int64_t rows = scores.size(0), n = scores.size(1), kept = std::min(k, n);
  torch::Tensor keys = torch::empty({rows, kept}, torch::kInt64);
  if (keys.numel() == 0) return keys;
  auto* all = scores.data_ptr<float>();
  auto* out = keys.data_ptr<std::int64_t>();
  const auto* row_of = excluded.row.const_data_ptr<std::int64_t>();
  const auto* id_of = excluded.id.const_data_ptr<std::int64_t>();
  for (std::int64_t cell = 0; cell < excluded.id.size(0); ++cell) {
    const std::int64_t column = id_of[cell] - first_entity;
    if (column >= 0 && column < n) all[row_of[cell] * n + column] = std::numeric_limits<float>::quiet_NaN();
  }
  at::parallel_for(0, rows, 1, [&](std::int64_t begin, std::int64_t end) {
    BestKeys best(kept);
    for (std::int64_t r = begin; r < end; ++r) {
      read_row(all + r * n, n, first_entity, best);
      best.write_and_clear(out + r * kept);
    }
  });
  return keys;
}

}  // namespace hasa::kernels
