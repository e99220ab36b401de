#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "hasa/families/path/path_config.h"
#include "hasa/kg/graph.h"
#include "hasa/nn/linear.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/ops/graph/path_batch.h"
#include "hasa/ops/graph/path_update.h"

namespace hasa {

/// The training triples of a graph as edges for messages, on the CPU.
PathGraph training_paths(const Graph& graph);

/// A path model, after NBFNet (Zhu et al. 2021): vectors propagate from a query's entity along the edges, layer by
/// layer, and an entity is scored by what has arrived at it.
///
///   x_0 = q at the query's entity, q a learned vector of the query's relation; nothing elsewhere
///   x_l = x_{l-1} + max(0, LayerNorm(W_l [x_{l-1}, aggregated messages, scaled by degrees]))     (ops/graph)
///   score = MLP(x_last, q)
///
/// Unlike in NBFNet, an entity has no state before a path from the
/// query's entity has reached it, so sparse graphs cost only what is reached;
/// unreached entities share one score, MLP(0, q). There are no parameters per entity. With texts, v(e) = LayerNorm(P
/// text(e)) for each entity's text:
///
///   x_0 = q + S v(h) at the query's entity h
///   score of c = MLP(x_last, q, (v(h) * rho) * v(c), v(c)),  rho a learned vector of the query's relation
///
/// so that those never reached have scores of their own. On a GPU states are bfloat16 unless config.precision says
/// fp32; sums and parameters are float32.
class PathModel {
 public:
  /// Parameters are drawn from torch's generator.
  PathModel(const PathModelConfig& config, std::int64_t relations, const torch::Device& device);

  /// texts: [entities, hidden], which are not trained. Once, before anything is scored.
  void add_texts(const torch::Tensor& texts, std::int64_t text_dim);
  /// [entities, hidden], as they were given.
  const torch::Tensor& texts() const { return texts_->of_entities; }

  /// The scores of all entities, [queries, entities] float32. relations: [queries] int64, directed.
  torch::Tensor scores(const PathBatchPtr& batch, const torch::Tensor& relations) const;

  /// The intermediate results for weighing paths: each layer's input, relation vectors and messages.
  struct Trace {
    std::vector<torch::Tensor> states;     // before each layer
    std::vector<torch::Tensor> relations;  // [queries, 2R, dim]
    std::vector<torch::Tensor> messages;   // path_messages' results
  };
  torch::Tensor scores(const PathBatchPtr& batch, const torch::Tensor& relations, Trace* trace) const;

  NamedTensors parameters() const;
  /// The same parameters on the CPU: shared if they are there, otherwise copied.
  PathModel on_cpu() const;
  const torch::Device& device() const { return device_; }
  const PathModelConfig& config() const { return config_; }

  /// Peak memory of scoring one query, and of training on one.
  std::int64_t scoring_bytes(const PathGraph& graph) const;
  std::int64_t training_bytes(const PathGraph& graph) const;

 private:
  struct Layer {
    Linear map;              // q -> the relations as it sees them; where config.dependent
    torch::Tensor relation;  // [2R, dim] otherwise
    torch::Tensor weight;    // [3 or 1 dim, 5 or 2 dim]
    torch::Tensor bias;      // [dim]
    LayerNorm norm;
  };
  struct Texts {
    torch::Tensor of_entities;  // [entities, hidden]
    Linear project;             // hidden -> text dim
    LayerNorm norm;
    torch::Tensor relation;    // [2R, text dim]
    torch::Tensor start;       // [dim, text dim]
    torch::Tensor match, own;  // [2 dim, text dim]: the hidden layer's part for the product and for the candidate
  };
  /// What the texts of a query's entity and of all candidates come to.
  struct ReadTexts {
    torch::Tensor entities;  // [entities, text dim]
    torch::Tensor asked;     // [queries, text dim]: v(h) * rho
    torch::Tensor start;     // [queries, dim]
  };
  ReadTexts read_texts(const torch::Tensor& heads, const torch::Tensor& relations) const;
  /// The hidden layer's part for texts, [entities * queries, 2 dim].
  torch::Tensor hidden_of_texts(const ReadTexts& texts) const;
  void move_to(const torch::Device& device);
  torch::Tensor relations_of(const Layer& layer, const torch::Tensor& query) const;
  torch::Tensor read_states(const PathBatchPtr& batch, const torch::Tensor& states, const torch::Tensor& query,
                            const std::optional<ReadTexts>& texts) const;

  PathModelConfig config_;
  torch::Device device_;
  torch::Dtype dtype_;
  std::int64_t directed_relations_;
  torch::Tensor query_;  // [2R, dim]
  std::vector<Layer> layers_;
  Linear hidden_;  // (x, q) -> 2 dim
  Linear score_;   // 2 dim -> 1
  std::optional<Texts> texts_;
};

}  // namespace hasa
