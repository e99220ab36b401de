#include <ATen/Parallel.h>

#include "hasa/ops/score/similarity_rows_cpu.h"
#include "hasa/ops/table/listed_scores_kernels.h"

namespace hasa::kernels {
namespace {

template <class Terms, class Number>
[[gnu::always_inline]] inline void score_list(const ListedPass& pass, std::int64_t q) {
  const auto* table = static_cast<const Number*>(pass.table);
  const float* query = pass.query + q * pass.dim;
  const std::int64_t end = pass.offsets[q + 1];
  std::int64_t i = pass.offsets[q];
  for (; i + kRowsAtOnce <= end; i += kRowsAtOnce) {
    const Number* rows[kRowsAtOnce];
    for (std::int64_t k = 0; k < kRowsAtOnce; ++k) rows[k] = table + pass.ids[i + k] * pass.dim;
    score_rows<Terms, kRowsAtOnce>(query, rows, pass.dim, pass.scores + i);
  }
  for (; i < end; ++i) {
    const Number* row = table + pass.ids[i] * pass.dim;
    score_rows<Terms, 1>(query, &row, pass.dim, pass.scores + i);
  }
}

template <class Terms, class Number>
[[gnu::always_inline]] inline void gradient_of_list(const ListedPass& pass, std::int64_t q) {
  const auto* table = static_cast<const Number*>(pass.table);
  const std::int64_t first = pass.offsets[q], count = pass.offsets[q + 1] - first;
  for (std::int64_t i = first; i < first + count; ++i)
    pass.coefficients[i] = Terms::coefficient(pass.slopes[i], pass.scores[i]);
  const auto row = [&](std::int64_t j)
                       __attribute__((always_inline)) { return table + pass.ids[first + j] * pass.dim; };
  const auto by = [&](std::int64_t j) __attribute__((always_inline)) { return pass.coefficients[first + j]; };
  add_slopes<Terms>(pass.query + q * pass.dim, count, row, by, pass.dim, pass.query_grad + q * pass.dim);
}

enum class ListedHalf { scores, gradient };

template <ListedHalf kHalf, class Terms, class Number>
void each_list(const ListedPass& pass) {
  at::parallel_for(0, pass.queries, 1, [&](std::int64_t begin, std::int64_t end) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t q = begin; q < end; ++q) {
        if constexpr (kHalf == ListedHalf::scores) {
          score_list<Terms, Number>(pass, q);
        } else {
          gradient_of_list<Terms, Number>(pass, q);
        }
      }
    });
  });
}

template <ListedHalf kHalf>
void all_lists(const ListedPass& pass) {
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    if (pass.is_bfloat16) {
      each_list<kHalf, Terms, cpu::BFloat16Bits>(pass);
    } else {
      each_list<kHalf, Terms, float>(pass);
    }
  });
}

}  // namespace

void listed_scores_cpu(const ListedPass& pass) { all_lists<ListedHalf::scores>(pass); }
void listed_gradient_cpu(const ListedPass& pass) { all_lists<ListedHalf::gradient>(pass); }

}  // namespace hasa::kernels
