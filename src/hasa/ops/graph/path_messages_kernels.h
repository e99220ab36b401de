#pragma once

#include <cstdint>

namespace hasa::kernels {

/// Raw view of a PathBatch for one layer: the graph's tables as in path_graph.h.
struct PathView {
  const std::int32_t *offsets, *edges, *twin_slot, *groups, *groups_of_relation, *relation_parts, *relation_offsets,
      *parts, *hubs;
  const std::int64_t* heads;     // [queries]
  const std::int32_t* position;  // [entities, queries]
  const std::int32_t* pairs;     // [rows_out]
  const float* degree;           // [entities]
  std::int64_t entities, num_groups, num_parts, num_hubs, hub_parts, num_relation_parts, directed_relations;
  std::int64_t queries, dim, rows_in, rows_out;
  bool pna, is_bfloat16, short_slots;  // short_slots: places of extremes are 16 bits, else 32
};

// Where an extreme came from when it is no edge, as a place (cut to 16 bits where slots are short).
constexpr std::int32_t kFromStart = -1;
constexpr std::int32_t kFromNowhere = -2;

// The least spread that is written; at and below it, rounding to bfloat16 included, it has no gradient.
constexpr float kLeastVariance = 1e-6F;
constexpr float kFlatSpread = 1.004e-3F;

struct PathForward {
  const void* states;        // [rows_in, dim]
  const void* relations;     // [queries, 2R, dim]
  const void* start;         // [queries, dim]
  void* out;                 // [rows_out, 2 or 5, dim]
  void* extremes;            // [rows_out, dim, 2] places of the greatest and the least; null for sum
  float* hub_values;         // [hub_parts, queries * dim, 4] sum, squares, greatest, least of a hub's part; GPU alone
  std::int32_t* hub_places;  // [hub_parts, queries * dim, 2]
};

struct PathBackward {
  const void* states;
  const void* relations;
  const void* start;
  const void* out;       // what forward wrote
  const void* out_grad;  // its gradient
  const void* extremes;
  void* terms;            // [rows_out, dim, 4] scratch: a, c, and the gradients of greatest and least; GPU, pna alone
  void* group_sums;       // [groups, queries, dim] scratch, GPU alone
  float* hub_grads;       // [hub_parts, queries * dim] scratch, GPU alone
  float* relation_sums;   // [relation parts, queries * dim] scratch, GPU alone
  void* states_grad;      // [rows_in, dim]
  float* relations_grad;  // [queries, 2R, dim]
  void* start_grad;       // [queries, dim]
};

// The gradient of a message m is a + c m, and where it is the greatest or the least that one's gradient as well:
// with mean and spread s of n messages, c = g_s / (n s) and a = g_mean / n - c mean.
void path_forward_cpu(const PathView& view, const PathForward& arguments);
void path_backward_cpu(const PathView& view, const PathBackward& arguments);
void path_forward_cuda(const PathView& view, const PathForward& arguments, void* stream);
void path_backward_cuda(const PathView& view, const PathBackward& arguments, void* stream);

}  // namespace hasa::kernels
