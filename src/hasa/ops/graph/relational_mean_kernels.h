#pragma once

#include <cstdint>

namespace hasa::kernels {

/// Raw view of RelationalEdges for the kernels; keep, a flag for each triple, may be null.
struct EdgeView {
  const std::int64_t* offsets;
  const std::int64_t* relation;
  const std::int64_t* neighbour;
  const std::int64_t* triple;
  const std::int64_t* by_relation;
  const std::int64_t* relation_offsets;
  const std::int64_t* source;
  const bool* keep;
  std::int64_t entities;
  std::int64_t edges;
  std::int64_t relations;  // undirected: R
  std::int64_t dim;
};

// inverse_count [entities]: 1 / max(1, kept edges).
// gather: out[e] = sum over kept edges (r, n) of e of source_scale[n] * rows[n] * weights[r or its inverse],
//         times own_scale[e]. The forward pass and the gradient of values are both this sum: the edge an
//         entity sends along stands at the entity itself as the twin.
// weight_gradient: out[r] = sum over kept edges (e, r, n) of grad[e] * inverse_count[e] * values[n].
struct GatherArguments {
  const float* rows;
  const float* weights;
  const float* own_scale;     // null: 1
  const float* source_scale;  // null: 1
  bool inverse_relations;
  float* out;
};

void inverse_counts_cpu(const EdgeView& edges, float* inverse_count);
void gather_cpu(const EdgeView& edges, const GatherArguments& arguments);
void weight_gradient_cpu(const EdgeView& edges, const float* grad, const float* inverse_count, const float* values,
                         float* out);

void inverse_counts_cuda(const EdgeView& edges, float* inverse_count, void* stream);
void gather_cuda(const EdgeView& edges, const GatherArguments& arguments, void* stream);
void weight_gradient_cuda(const EdgeView& edges, const float* grad, const float* inverse_count, const float* values,
                          float* out, void* stream);

}  // namespace hasa::kernels
