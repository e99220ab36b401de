#include "hasa/families/frozen/frozen_model.h"

#include <cmath>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/encoder/hashed_dropout.h"
#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

RelationalEdges training_edges(const Graph& graph) {
  const QueryColumns triples = columns_of(graph.triples(Split::train), torch::kCPU);
  return make_relational_edges(triples.heads, triples.relations, triples.tails, graph.entities(), graph.relations());
}

}  // namespace

FrozenModel::FrozenModel(const FrozenModelConfig& config, const TextEmbeddings& texts, const Graph& graph,
                         const torch::Device& device)
    : config_(config),
      device_(device),
      entity_texts_(texts.entities.to(device)),
      relation_texts_(texts.relations.to(device)),
      projection_(texts.hidden(), config.dim),
      norm_(config.dim),
      context_(config.context_layers, config.dim, graph.num_directed_relations(), config.dropout),
      query_(config.dim),
      log_scale_(torch::tensor(static_cast<float>(std::log(config.scale))).requires_grad_()) {
  HASA_CHECK(texts.entities.size(0) == graph.entities() && texts.relations.size(0) == graph.num_directed_relations(),
             data, "text embeddings of {} entities and {} relations do not fit a graph of {} and {}",
             texts.entities.size(0), texts.relations.size(0), graph.entities(), graph.num_directed_relations());
  if (config.context_layers > 0) edges_ = training_edges(graph).to(device);
  for (const NamedTensor& p : parameters()) p.tensor.set_data(p.tensor.to(device));
}

torch::Tensor FrozenModel::project(const torch::Tensor& texts, bool training) const {
  return hashed_dropout(norm_(projection_(texts)), config_.dropout, training);
}

torch::Tensor FrozenModel::entities(const torch::Tensor& keep, bool training) const {
  torch::Tensor x = project(entity_texts_, training);
  if (config_.context_layers > 0) x = context_(x, edges_, keep, training);
  return unit_rows(x);
}

torch::Tensor FrozenModel::entities_alone(const torch::Tensor& rows, bool training) const {
  HASA_ASSERT(config_.context_layers == 0);
  return unit_rows(project(entity_texts_.index_select(0, rows), training));
}

torch::Tensor FrozenModel::relations(bool training) const { return unit_rows(project(relation_texts_, training)); }

torch::Tensor FrozenModel::queries(const torch::Tensor& heads, const torch::Tensor& relations,
                                   const torch::Tensor& relation_of) const {
  return unit_rows(query_(heads, relations, relation_of));
}

NamedTensors FrozenModel::parameters() const {
  NamedTensors list;
  append(list, "projection", projection_.parameters());
  append(list, "norm", norm_.parameters());
  append(list, "context", context_.parameters());
  append(list, "query", query_.parameters());
  list.push_back({"log_scale", log_scale_});
  return list;
}

std::vector<torch::Tensor> FrozenModel::before_context() const {
  if (config_.context_layers == 0) return {};
  return context_.before_layers(project(entity_texts_, /*training=*/false), edges_);
}

torch::Tensor FrozenModel::new_entities(const torch::Tensor& texts, const std::vector<torch::Tensor>& before_context,
                                        const VectorContext::NewEdges& edges) const {
  return unit_rows(context_.of_new(project(texts, /*training=*/false), before_context, edges));
}

torch::Tensor FrozenScorer::query_vectors(std::span<const Query> queries) const {
  const torch::NoGradGuard no_grad;
  const QueryIds ids = ids_of(queries, device());
  return model_.queries(entities_.index_select(0, ids.given), relations_, ids.relations);
}

std::unique_ptr<VectorScorer> FrozenModel::scorer() const {
  const torch::NoGradGuard no_grad;
  return std::make_unique<FrozenScorer>(*this);
}

}  // namespace hasa
