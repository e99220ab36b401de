#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "hasa/ops/score/similarity_rows_cpu.h"
#include "hasa/ops/table/row_loss_terms.h"
#include "hasa/ops/table/sampled_loss_kernels.h"

namespace hasa::kernels {
namespace {

/// Scores of a query's candidates -> slopes in place; returns the loss.
float slopes_of_row(const SampledPass& pass, float* scores) {
  const std::int64_t columns = pass.columns;
  RowShared row{scores[0], 0, 1, static_cast<float>(columns - 1)};
  if (has_softmax(pass.kind)) {
    const float scale = softmax_scale(pass.kind, pass.temperature);
    const std::int64_t first = answer_in_softmax(pass.kind) ? 0 : 1;
    row.greatest = -std::numeric_limits<float>::infinity();
    for (std::int64_t j = first; j < columns; ++j) row.greatest = std::max(row.greatest, scores[j] * scale);
    row.sum = 0;
    for (std::int64_t j = first; j < columns; ++j) row.sum += std::exp(scores[j] * scale - row.greatest);
  }
  float loss = 0, slopes = 0;
  for (std::int64_t j = 1; j < columns; ++j) {
    const LossPart part = other_part(pass.kind, pass.offset, pass.temperature, scores[j], row);
    scores[j] = part.slope;
    loss += part.loss;
    slopes += part.slope;
  }
  const LossPart part = answer_part(pass.kind, pass.offset, row, slopes);
  scores[0] = part.slope;
  return loss + part.loss;
}

template <class Terms, class Number>
[[gnu::always_inline]] inline void score_candidates(const SampledPass& pass, std::int64_t q, float* scores) {
  const float* query = pass.query + q * pass.dim;
  const auto* table = static_cast<const Number*>(pass.table);
  const std::int32_t* ids = pass.candidates + q * pass.columns;
  std::int64_t j = 0;
  for (; j + kRowsAtOnce <= pass.columns; j += kRowsAtOnce) {
    const Number* rows[kRowsAtOnce];
    for (std::int64_t k = 0; k < kRowsAtOnce; ++k) rows[k] = table + ids[j + k] * pass.dim;
    score_rows<Terms, kRowsAtOnce>(query, rows, pass.dim, scores + j);
  }
  for (; j < pass.columns; ++j) {
    const Number* row = table + ids[j] * pass.dim;
    score_rows<Terms, 1>(query, &row, pass.dim, scores + j);
  }
}

/// The candidates of one query stay in the cache between its scores and its gradient.
template <class Terms, class Number>
[[gnu::always_inline]] inline void sampled_query(const SampledPass& pass, std::int64_t q, std::vector<float>& scores) {
  float* coefficients = pass.coefficients + q * pass.columns;
  score_candidates<Terms, Number>(pass, q, coefficients);
  std::copy_n(coefficients, pass.columns, scores.begin());
  pass.loss[q] = slopes_of_row(pass, coefficients);
  const float share = pass.weight(q);
  const float* query = pass.query + q * pass.dim;
  float* gradient = pass.query_grad + q * pass.dim;
  std::fill_n(gradient, pass.dim, 0.0F);
  for (std::int64_t j = 0; j < pass.columns; ++j)
    coefficients[j] = Terms::coefficient(coefficients[j] * share, scores[static_cast<std::size_t>(j)]);
  const std::int32_t* ids = pass.candidates + q * pass.columns;
  const auto* table = static_cast<const Number*>(pass.table);
  const auto row = [&](std::int64_t j) __attribute__((always_inline)) { return table + ids[j] * pass.dim; };
  const auto by = [&](std::int64_t j) __attribute__((always_inline)) { return coefficients[j]; };
  add_slopes<Terms>(query, pass.columns, row, by, pass.dim, gradient);
}

template <class Terms, class Number>
void sampled_queries(const SampledPass& pass) {
  at::parallel_for(0, pass.queries, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scores(static_cast<std::size_t>(pass.columns));
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t q = begin; q < end; ++q) sampled_query<Terms, Number>(pass, q, scores);
    });
  });
}

}  // namespace

void sampled_loss_cpu(const SampledPass& pass) {
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    if (pass.is_bfloat16) {
      sampled_queries<Terms, cpu::BFloat16Bits>(pass);
    } else {
      sampled_queries<Terms, float>(pass);
    }
  });
}

}  // namespace hasa::kernels
