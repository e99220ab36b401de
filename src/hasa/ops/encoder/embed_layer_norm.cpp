#include "hasa/ops/encoder/embed_layer_norm.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/encoder/add_layer_norm.h"
#include "hasa/ops/encoder/embed_layer_norm_kernels.h"
#include "hasa/ops/table/table_gradient.h"

namespace hasa {
namespace {

using torch::Tensor;

void check(const EmbeddingTables& tables, const EmbeddingIds& ids, const Tensor& weight, const Tensor& bias) {
  const std::int64_t width = tables.words.size(1);
  const auto fits = [&](const Tensor& table) { return !table.defined() || table.size(1) == width; };
  HASA_CHECK(fits(tables.positions) && fits(tables.segments) && fits(tables.soft) && weight.numel() == width &&
                 bias.numel() == width,
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
      add_layer_norm(word_rows(tables.words, tables.soft, ids.words), place, weight.to(dtype), bias.to(dtype), eps);
  return seeded_dropout(normed, dropout);
}

bool has_kernel(const EmbeddingTables& tables, const Tensor& weight, const Tensor& bias) {
  const auto alike = [&](const Tensor& t) { return !t.defined() || t.scalar_type() == tables.words.scalar_type(); };
  return has_row_kernel(tables.words, weight) && tables.words.size(1) <= kernels::kWidestNorm &&
         alike(tables.positions) && alike(tables.segments) && alike(tables.soft) &&
         bias.scalar_type() == weight.scalar_type();
}

kernels::NormShape embedding_shape(const EmbeddingTables& tables, const EmbeddingIds& ids, const Tensor& weight) {
  return {ids.words.size(0), tables.words.size(1), tables.words.scalar_type() == torch::kBFloat16,
          weight.scalar_type() == torch::kFloat32};
}

const std::int64_t* id_pointer(const Tensor& t) { return t.defined() ? t.const_data_ptr<std::int64_t>() : nullptr; }

kernels::EmbedInputs inputs_of(const EmbeddingTables& tables, const EmbeddingIds& ids) {
  return {input_pointer(tables.words), input_pointer(tables.positions), input_pointer(tables.segments),
          input_pointer(tables.soft),  id_pointer(ids.words),           id_pointer(ids.positions),
          id_pointer(ids.segments)};
}

struct Normed {
  Tensor out, mean, inverse_std;  // [tokens, width], [tokens], [tokens]
};

Normed forward_by_kernel(const EmbeddingTables& tables, const EmbeddingIds& ids, const Tensor& weight,
                         const Tensor& bias, double eps, const SeededDropout& dropout, bool keep_statistics) {
  Normed normed;
  normed.out = at::empty({ids.words.size(0), tables.words.size(1)}, tables.words.options().requires_grad(false));
  if (keep_statistics) {
    normed.mean = at::empty({ids.words.size(0)}, normed.out.options().dtype(torch::kFloat32));
    normed.inverse_std = at::empty_like(normed.mean);
  }
  const kernels::EmbedForward pass{inputs_of(tables, ids),
                                   input_pointer(weight),
                                   input_pointer(bias),
                                   static_cast<float>(eps),
                                   view_of(dropout, normed.out.device()),
                                   output_pointer(normed.out),
                                   float_pointer(normed.mean),
                                   float_pointer(normed.inverse_std)};
  on_cuda([&](void* stream) {
    kernels::embed_layer_norm_forward_cuda(embedding_shape(tables, ids, weight), pass, stream);
  });
  return normed;
}

struct EmbedGrads {
  Tensor sum;       // [tokens, width] of the three rows' sum
  Tensor all_rows;  // [width] float32: that, summed over the tokens
  Tensor weight, bias;
};

EmbedGrads backward_by_kernel(const Tensor& grad_in, const EmbeddingTables& tables, const EmbeddingIds& ids,
                              const Tensor& mean, const Tensor& inverse_std, const Tensor& weight,
                              const SeededDropout& dropout) {
  const Tensor grad = for_kernel(grad_in);
  const kernels::NormShape shape = embedding_shape(tables, ids, weight);
  const auto floats = grad.options().dtype(torch::kFloat32);
  EmbedGrads grads{at::empty_like(grad), at::empty({grad.size(1)}, floats), at::empty_like(weight),
                   at::empty_like(weight)};
  on_cuda([&](void* stream) {
    const Tensor partial = at::empty({kernels::embed_backward_blocks_cuda(shape), 3, grad.size(1)}, floats);
    const kernels::EmbedBackward pass{inputs_of(tables, ids),       input_pointer(grad),
                                      mean.const_data_ptr<float>(), inverse_std.const_data_ptr<float>(),
                                      input_pointer(weight),        view_of(dropout, grad.device()),
                                      output_pointer(grads.sum),    output_pointer(grads.weight),
                                      output_pointer(grads.bias),   float_pointer(grads.all_rows),
                                      partial.data_ptr<float>()};
    kernels::embed_layer_norm_backward_cuda(shape, pass, stream);
  });
  return grads;
}

Tensor segment_gradient(const EmbedGrads& grads, const Tensor& segments, const Tensor& ids) {
  if (ids.defined()) return table_gradient(grads.sum, ids, segments.size(0));
  Tensor table = at::zeros(segments.sizes(), grads.sum.options());
  table.select(0, 0).copy_(grads.all_rows);
  return table;
}

/// On CUDA alone; empty tensors stand for undefined ones.
struct EmbedLayerNorm : torch::autograd::Function<EmbedLayerNorm> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& words, const Tensor& positions,
                        const Tensor& segments, const Tensor& soft, const Tensor& weight, const Tensor& bias,
                        const EmbeddingIds& ids, double eps, const SeededDropout& dropout) {
    const Normed normed = forward_by_kernel({words, positions, or_undefined(segments), or_undefined(soft)}, ids, weight,
                                            bias, eps, dropout, true);
    context->save_for_backward({words, positions, segments, weight, normed.mean, normed.inverse_std, ids.words,
                                ids.positions, or_empty(ids.segments, ids.words), or_empty(dropout.step, ids.words),
                                soft});
    context->saved_data["share"] = dropout.share;
    context->saved_data["seed"] = static_cast<std::int64_t>(dropout.seed);
    context->saved_data["first"] = dropout.first;
    return normed.out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& out_grads) {
    const auto saved = context->get_saved_variables();
    const EmbeddingTables tables{saved[0], saved[1], or_undefined(saved[2]), or_undefined(saved[10])};
    const EmbeddingIds ids{saved[6], saved[7], or_undefined(saved[8])};
    const SeededDropout dropout{context->saved_data["share"].toDouble(),
                                static_cast<std::uint64_t>(context->saved_data["seed"].toInt()), or_undefined(saved[9]),
                                context->saved_data["first"].toInt()};
    const EmbedGrads grads = backward_by_kernel(out_grads[0], tables, ids, saved[4], saved[5], saved[3], dropout);
    Tensor words, positions, segments, soft;
    if (context->needs_input_grad(0)) words = table_gradient(grads.sum, ids.words, tables.words.size(0));
    if (context->needs_input_grad(1)) positions = table_gradient(grads.sum, ids.positions, tables.positions.size(0));
    if (tables.segments.defined() && context->needs_input_grad(2)) {
      segments = segment_gradient(grads, tables.segments, ids.segments);
    }
    if (tables.soft.defined() && context->needs_input_grad(3)) {
      soft = table_gradient(grads.sum, -1 - ids.words, tables.soft.size(0));
    }
    return {words, positions, segments, soft, grads.weight, grads.bias, {}, {}, {}};
  }
};

}  // namespace

Tensor word_rows(const Tensor& words, const Tensor& soft, const Tensor& ids) {
  if (!soft.defined() || soft.size(0) == 0) return at::embedding(words, ids);
  const Tensor places = at::nonzero(ids.lt(0)).squeeze(1);
  const Tensor rows = -1 - ids.index_select(0, places);
  return at::embedding(words, ids.clamp_min(0)).index_copy(0, places, at::embedding(soft, rows));
}

Tensor embed_layer_norm(const EmbeddingTables& tables, const EmbeddingIds& ids, const Tensor& weight,
                        const Tensor& bias, double eps, const SeededDropout& dropout) {
  check(tables, ids, weight, bias);
  if (!has_kernel(tables, weight, bias)) return embed_by_tensors(tables, ids, weight, bias, eps, dropout);
  const bool soft = tables.soft.defined() && tables.soft.size(0) > 0;
  const EmbeddingTables whole{for_kernel(tables.words), for_kernel(tables.positions), for_kernel(tables.segments),
                              soft ? for_kernel(tables.soft) : Tensor()};
  const EmbeddingIds flat{for_kernel(ids.words), for_kernel(ids.positions), for_kernel(ids.segments)};
  const Tensor scale = for_kernel(weight), shift = for_kernel(bias);
  if (!wants_gradient({whole.words, whole.positions, whole.segments, whole.soft, scale, shift})) {
    return forward_by_kernel(whole, flat, scale, shift, eps, dropout, false).out;
  }
  return EmbedLayerNorm::apply(whole.words, whole.positions, or_empty(whole.segments, whole.words),
                               or_empty(whole.soft, whole.words), scale, shift, flat, eps, dropout);
}

}  // namespace hasa
