#include "hasa/model/hasa_model.h"

#include <cmath>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/hashed_dropout.h"
#include "hasa/ops/unit_rows.h"

namespace hasa {
namespace {

RelationalEdges training_edges(const Graph& graph) {
  const QueryColumns triples = columns_of(graph.triples(Split::train), torch::kCPU);
  return make_relational_edges(triples.heads, triples.relations, triples.tails, graph.entities(), graph.relations());
}

class FrozenHasa : public Scorer {
 public:
  explicit FrozenHasa(const HasaModel& model)
      : model_(model), entities_(model.entities({}, false)), relations_(model.relations(false)) {}

  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor& relations) const override {
    const torch::NoGradGuard no_grad;
    return model_.queries(entities_.index_select(0, heads), relations_, relations);
  }

 private:
  HasaModel model_;
  torch::Tensor entities_, relations_;
};

}  // namespace

HasaModel::HasaModel(const HasaConfig& config, const TextEmbeddings& texts, const Graph& graph,
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

torch::Tensor HasaModel::project(const torch::Tensor& texts, bool training) const {
  return hashed_dropout(norm_(projection_(texts)), config_.dropout, training);
}

torch::Tensor HasaModel::entities(const torch::Tensor& keep, bool training) const {
  torch::Tensor x = project(entity_texts_, training);
  if (config_.context_layers > 0) x = context_(x, edges_, keep, training);
  return unit_rows(x);
}

torch::Tensor HasaModel::relations(bool training) const { return unit_rows(project(relation_texts_, training)); }

torch::Tensor HasaModel::queries(const torch::Tensor& heads, const torch::Tensor& relations,
                                 const torch::Tensor& relation_of) const {
  return unit_rows(query_(heads, relations, relation_of));
}

NamedTensors HasaModel::parameters() const {
  NamedTensors list;
  append(list, "projection", projection_.parameters());
  append(list, "norm", norm_.parameters());
  append(list, "context", context_.parameters());
  append(list, "query", query_.parameters());
  list.push_back({"log_scale", log_scale_});
  return list;
}

std::unique_ptr<Scorer> HasaModel::scorer() const {
  const torch::NoGradGuard no_grad;
  return std::make_unique<FrozenHasa>(*this);
}

}  // namespace hasa
