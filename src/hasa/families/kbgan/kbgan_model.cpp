#include "hasa/families/kbgan/kbgan_model.h"

#include "hasa/ops/score/pair_scores.h"

namespace hasa {
namespace {

TableModelConfig table_of(TableForm form, std::int64_t dim, std::int64_t norm = 1) {
  TableModelConfig config;
  config.form = form;
  config.dim = dim;
  config.norm = norm;
  config.reciprocal = false;
  config.init = TableInit::xavier_uniform;
  return config;
}

torch::Tensor table_scores(const TableModel& model, const torch::Tensor& heads, const torch::Tensor& directed,
                           const torch::Tensor& candidates) {
  const torch::Tensor queries =
      model.queries(torch::embedding(model.entities(), heads),
                    torch::embedding(model.relations(), model.relation_rows(directed)), directed);
  return similarity_of_rows(queries.unsqueeze(1), torch::embedding(model.entities(), candidates), model.similarity());
}

}  // namespace

KbganModel::KbganModel(const KbganModelConfig& config, std::int64_t entities, std::int64_t relations,
                       const torch::Device& device)
    : config_(config),
      generator_(table_of(config.generator == KbganGenerator::complex ? TableForm::complex : TableForm::distmult,
                          config.generator_dim),
                 entities, relations, device) {
  if (is_transd()) {
    transd_ = std::make_unique<TransD>(config.dim, entities, relations, device);
  } else {
    transe_ =
        std::make_unique<TableModel>(table_of(TableForm::transe, config.dim, config.norm), entities, relations, device);
  }
  constrain();
  for (const NamedTensor& p : parameters()) p.tensor.requires_grad_();
}

torch::Tensor KbganModel::discriminator_scores(const torch::Tensor& heads, const torch::Tensor& directed,
                                               const torch::Tensor& candidates) const {
  return is_transd() ? transd_->scores(heads, directed, candidates)
                     : table_scores(*transe_, heads, directed, candidates);
}

torch::Tensor KbganModel::generator_scores(const torch::Tensor& heads, const torch::Tensor& directed,
                                           const torch::Tensor& candidates) const {
  return table_scores(generator_, heads, directed, candidates);
}

void KbganModel::constrain() const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor& entities = is_transd() ? transd_->entities() : transe_->entities();
  entities.renorm_(2, /*dim=*/0, /*maxnorm=*/1);
}

NamedTensors KbganModel::parameters() const {
  NamedTensors list;
  append(list, "discriminator", is_transd() ? transd_->parameters() : transe_->parameters());
  append(list, "generator", generator_.parameters());
  return list;
}

std::unique_ptr<VectorScorer> KbganModel::scorer() const { return is_transd() ? transd_->scorer() : transe_->scorer(); }

}  // namespace hasa
