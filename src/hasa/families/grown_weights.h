#pragma once

#include "hasa/nn/named_tensor.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/run/run.h"

namespace hasa {

/// The weights of a run's model, of the run's graph or of one from which that grew. Rows of entities and relations that
/// came since keep the values they were drawn with, and a warning says so: only training gives them better ones.
void load_grown(const NamedTensors& parameters, const TensorFile& file, const Run& run);

/// Rows of directed relations, [.., 2 R, ..] along dimension `dim`, as rows of more of them, `directed` in all: the
/// relations come first and their inverses after all relations. New rows are `of_new`, which has 1 along `dim`.
torch::Tensor with_new_relations(const torch::Tensor& rows, std::int64_t directed, std::int64_t dim,
                                 const torch::Tensor& of_new);

}  // namespace hasa
