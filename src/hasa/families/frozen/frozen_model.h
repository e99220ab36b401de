#pragma once

#include <torch/types.h>

#include <memory>

#include "hasa/base/config.h"
#include "hasa/input/edge_rule.h"
#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"
#include "hasa/model/text_embeddings.h"
#include "hasa/nn/gru_query.h"
#include "hasa/nn/linear.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/nn/vector_context.h"

namespace hasa {

struct FrozenModelConfig {
  std::int64_t dim = 256;
  std::int64_t context_layers = 1;
  EdgeRule hidden_edges = EdgeRule::exact;
  double dropout = 0.1;
  double scale = 20;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("dim", &FrozenModelConfig::dim, "dimension of entity, relation and query vectors", Range{1, 8192});
    field("context_layers", &FrozenModelConfig::context_layers,
          "layers of vector context, by which an entity's neighbours contribute to its vector; 0: texts alone",
          Range{0, 8});
    field("hidden_edges", &FrozenModelConfig::hidden_edges, kEdgeRuleDoc);
    field("dropout", &FrozenModelConfig::dropout, "dropout probability", Range{0, 0.9});
    field("scale", &FrozenModelConfig::scale, "initial scale (inverse temperature) of the cosine; it is learned",
          Range{0.01, 1000});
  }
};

/// HaSa's form over a frozen language model:
///
///   entity    x = context(dropout(LayerNorm(P text(e)))), a unit vector
///   relation  dropout(LayerNorm(P text(r))), a unit vector
///   query     GRU(entity(h), relation(r)), a unit vector
///   score     scale * query . entity
class FrozenModel {
 public:
  /// Parameters are drawn from torch's generator. The edges of the context are the graph's training triples.
  FrozenModel(const FrozenModelConfig& config, const TextEmbeddings& texts, const Graph& graph,
              const torch::Device& device);

  /// Vectors of all entities, [entities, dim]. keep: flags of the training triples whose edges the context
  /// may read, undefined for all of them.
  torch::Tensor entities(const torch::Tensor& keep, bool training) const;
  /// Vectors of some entities, rows [n] int64 -> [n, dim]. Without context only, which would need all of them.
  torch::Tensor entities_alone(const torch::Tensor& rows, bool training) const;
  /// Vectors of all directed relations, [2 relations, dim].
  torch::Tensor relations(bool training) const;
  /// heads [queries, dim] and the relation of each -> [queries, dim].
  torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor& relations,
                        const torch::Tensor& relation_of) const;
  /// The learned scale of the cosine, [].
  torch::Tensor scale() const { return log_scale_.exp(); }

  /// What new entities need of the graph's entities; empty without context.
  std::vector<torch::Tensor> before_context() const;
  /// Vectors of entities that are not in the graph, from their texts [new, hidden] and edges -> [new, dim].
  torch::Tensor new_entities(const torch::Tensor& texts, const std::vector<torch::Tensor>& before_context,
                             const VectorContext::NewEdges& edges) const;

  NamedTensors parameters() const;
  const FrozenModelConfig& config() const { return config_; }
  const torch::Device& device() const { return device_; }

  /// For ranking and prediction. Entity vectors are computed now: use it before the next step.
  std::unique_ptr<VectorScorer> scorer() const;

 private:
  torch::Tensor project(const torch::Tensor& texts, bool training) const;

  FrozenModelConfig config_;
  torch::Device device_;
  torch::Tensor entity_texts_, relation_texts_;  // [., hidden]
  RelationalEdges edges_;
  Linear projection_;
  LayerNorm norm_;
  VectorContext context_;
  GruQuery query_;
  torch::Tensor log_scale_;
};

/// Entity vectors are computed in the constructor.
class FrozenScorer : public VectorScorer {
 public:
  explicit FrozenScorer(const FrozenModel& model)
      : model_(model), entities_(model.entities({}, false)), relations_(model.relations(false)) {}

  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override;

  const FrozenModel& model() const { return model_; }
  /// [2 relations, dim]
  const torch::Tensor& relations() const { return relations_; }

 private:
  FrozenModel model_;
  torch::Tensor entities_, relations_;
};

}  // namespace hasa
