#pragma once

#include <torch/types.h>

#include <algorithm>

#include "hasa/ops/graph/path_graph.h"

namespace hasa {

/// Triples drawn at random; with few entities many of them are copies and loops.
struct DrawnTriples {
  torch::Tensor heads, relations, tails;  // [triples] int64
  std::int64_t entities, relation_count;

  PathGraph graph() const { return make_path_graph(heads, relations, tails, entities, relation_count); }
};

inline DrawnTriples draw_triples(std::int64_t entities, std::int64_t triples, std::int64_t relations) {
  torch::manual_seed(11 + entities + triples);
  const auto ids = [&](std::int64_t bound) {
    return torch::randint(std::max<std::int64_t>(1, bound), {triples}, torch::kInt64);
  };
  return {ids(entities), ids(relations), ids(entities), entities, relations};
}

}  // namespace hasa
