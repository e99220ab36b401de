#include "hasa/ops/embed_layer_norm.h"

#include <ATen/ops/embedding.h>

#include "hasa/base/error.h"
#include "hasa/ops/add_layer_norm.h"

namespace hasa {
namespace {

using torch::Tensor;

void check(const EmbeddingTables& tables, const EmbeddingIds& ids, const Tensor& weight, const Tensor& bias) {
  const std::int64_t width = tables.words.size(1);
  HASA_CHECK(tables.positions.size(1) == width && (!tables.segments.defined() || tables.segments.size(1) == width) &&
                 weight.numel() == width && bias.numel() == width,
             shape, "embed_layer_norm: tables, weight and bias must be of one width");
  HASA_CHECK(ids.words.sizes() == ids.positions.sizes() && ids.words.dim() == 1 &&
                 (!ids.segments.defined() || ids.segments.sizes() == ids.words.sizes()),
             shape, "embed_layer_norm: word, position and segment ids must be [tokens]");
  HASA_CHECK(!ids.segments.defined() || tables.segments.defined(), data, "this model has no token types");
}

Tensor embed_by_tensors(const EmbeddingTables& tables, const EmbeddingIds& ids, const Tensor& weight,
                        const Tensor& bias, double eps, const SeededDropout& dropout) {
  Tensor place = at::embedding(tables.positions, ids.positions);
  if (ids.segments.defined()) {
    place = place + at::embedding(tables.segments, ids.segments);
  } else if (tables.segments.defined()) {
    place = place + tables.segments.select(0, 0);
  }
  const auto dtype = tables.words.scalar_type();
  const Tensor normed =
      add_layer_norm(at::embedding(tables.words, ids.words), place, weight.to(dtype), bias.to(dtype), eps);
  return seeded_dropout(normed, dropout);
}

}  // namespace

Tensor embed_layer_norm(const EmbeddingTables& tables, const EmbeddingIds& ids, const Tensor& weight,
                        const Tensor& bias, double eps, const SeededDropout& dropout) {
  check(tables, ids, weight, bias);
  return embed_by_tensors(tables, ids, weight, bias, eps, dropout);
}

}  // namespace hasa
