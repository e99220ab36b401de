#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/model/text_embeddings.h"

namespace hasa {

/// Texts of a graph that another graph, from which it grew, has not or has otherwise.
struct TextsToRead {
  std::vector<EntityId> entities;
  std::vector<RelationId> relations;  // directed

  static TextsToRead of(const Graph& graph, const Growth& growth);
  bool empty() const { return entities.empty() && relations.empty(); }
};

/// The graph's embeddings from those of the other: its rows, at their new places, and in the rest what was read. Throws
/// data when the earlier ones have not the rows of the other graph.
TextEmbeddings grown_texts(const TextEmbeddings& earlier, const Graph& graph, const Growth& growth,
                           const TextsToRead& asked, const TextEmbeddings& read);

}  // namespace hasa
