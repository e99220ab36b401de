#include <ATen/Parallel.h>

#include <algorithm>

#include "hasa/ops/score/pair_scores_kernels.h"
#include "hasa/ops/score/similarity_rows_cpu.h"

namespace hasa::kernels {
namespace {

constexpr std::int64_t kEntitiesInCache = 32;  // that stay while all queries go by
constexpr std::int64_t kOthersInCache = 64;

template <class Terms>
[[gnu::always_inline]] inline void score_block(const PairScores& pass, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = 0; i < pass.queries; ++i) {
    const float* query = pass.query + i * pass.dim;
    float* out = pass.out + i * pass.entities;
    std::int64_t j = begin;
    for (; j + kRowsAtOnce <= end; j += kRowsAtOnce) {
      const float* rows[kRowsAtOnce];
      for (std::int64_t k = 0; k < kRowsAtOnce; ++k) rows[k] = pass.entity + (j + k) * pass.dim;
      score_rows<Terms, kRowsAtOnce>(query, rows, pass.dim, out + j);
    }
    for (; j < end; ++j) {
      const float* row = pass.entity + j * pass.dim;
      score_rows<Terms, 1>(query, &row, pass.dim, out + j);
    }
  }
}

template <class Terms>
[[gnu::always_inline]] inline void gradient_rows(const PairGradient& pass, std::int64_t begin, std::int64_t end) {
  std::fill(pass.out + begin * pass.dim, pass.out + end * pass.dim, 0.0F);
  for (std::int64_t first = 0; first < pass.others; first += kOthersInCache) {
    const std::int64_t last = std::min(pass.others, first + kOthersInCache);
    for (std::int64_t i = begin; i < end; ++i) {
      const float* coefficient = pass.coefficient + i * pass.row_stride;
      const auto row = [&](std::int64_t j) __attribute__((always_inline)) { return pass.y + (first + j) * pass.dim; };
      const auto by = [&](std::int64_t j)
                          __attribute__((always_inline)) { return coefficient[(first + j) * pass.other_stride]; };
      add_slopes<Terms>(pass.x + i * pass.dim, last - first, row, by, pass.dim, pass.out + i * pass.dim);
    }
  }
}

}  // namespace

void pair_scores_cpu(const PairScores& pass) {
  const std::int64_t blocks = (pass.entities + kEntitiesInCache - 1) / kEntitiesInCache;
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    at::parallel_for(0, blocks, 1, [&](std::int64_t first, std::int64_t last) {
      cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
        for (std::int64_t block = first; block < last; ++block) {
          const std::int64_t begin = block * kEntitiesInCache;
          score_block<Terms>(pass, begin, std::min(pass.entities, begin + kEntitiesInCache));
        }
      });
    });
  });
}

void pair_gradient_cpu(const PairGradient& pass) {
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    at::parallel_for(0, pass.rows, 16, [&](std::int64_t begin, std::int64_t end) {
      cpu::run_for_this_cpu([&]() __attribute__((always_inline)) { gradient_rows<Terms>(pass, begin, end); });
    });
  });
}

}  // namespace hasa::kernels
