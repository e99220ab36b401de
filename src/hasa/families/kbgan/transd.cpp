#include "hasa/families/kbgan/transd.h"

#include "hasa/model/query_columns.h"

#include <cmath>

namespace hasa {
namespace {

torch::Tensor drawn_vectors(std::int64_t rows, std::int64_t dim, const torch::Device& device) {
  const double bound = std::sqrt(6.0 / static_cast<double>(dim + 1));
  return torch::empty({rows, dim}).uniform_(-bound, bound).to(device);
}

}  // namespace

/// Entities as they are when it is made.
class TransDScorer : public VectorScorer {
 public:
  explicit TransDScorer(TransD model) : model_(std::move(model)) {
    const torch::NoGradGuard no_grad;
    const torch::Tensor e = model_.entities_, a = (model_.entity_projections_ * e).sum(1, /*keepdim=*/true);
    entities_ = torch::cat({e, a * e, a, a * a, -e.square().sum(1, true), torch::ones_like(a)}, 1);
  }

  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override {
    const torch::NoGradGuard no_grad;
    const QueryIds ids = ids_of(queries, device());
    const torch::Tensor q = model_.queries(ids.given, ids.relations);
    const torch::Tensor w =
        model_.relation_projections_.index_select(0, ids.relations.remainder(model_.num_relations_));
    const auto sum = [](const torch::Tensor& x) { return x.sum(1, /*keepdim=*/true); };
    const torch::Tensor one = torch::ones({q.size(0), 1}, q.options());
    return torch::cat({2 * q, -2 * w, 2 * sum(q * w), -sum(w * w), one, -sum(q * q)}, 1);
  }

 private:
  TransD model_;
  torch::Tensor entities_;  // [entities, 2 dim + 4]
};

TransD::TransD(std::int64_t dim, std::int64_t entities, std::int64_t relations, const torch::Device& device)
    : num_relations_(relations),
      entities_(drawn_vectors(entities, dim, device)),
      entity_projections_(drawn_vectors(entities, dim, device)),
      relations_(drawn_vectors(relations, dim, device)),
      relation_projections_(drawn_vectors(relations, dim, device)) {}

torch::Tensor TransD::at_relation(const torch::Tensor& entities, const torch::Tensor& projection) const {
  const torch::Tensor e = torch::embedding(entities_, entities);
  const torch::Tensor a = (torch::embedding(entity_projections_, entities) * e).sum(-1, /*keepdim=*/true);
  return e + a * projection;
}

torch::Tensor TransD::queries(const torch::Tensor& heads, const torch::Tensor& directed) const {
  const torch::Tensor row = directed.remainder(num_relations_);
  const torch::Tensor sign = directed.lt(num_relations_).to(torch::kFloat32).mul_(2).sub_(1).unsqueeze(1);
  return at_relation(heads, torch::embedding(relation_projections_, row)) + sign * torch::embedding(relations_, row);
}

torch::Tensor TransD::scores(const torch::Tensor& heads, const torch::Tensor& directed,
                             const torch::Tensor& candidates) const {
  const torch::Tensor projection =
      torch::embedding(relation_projections_, directed.remainder(num_relations_)).unsqueeze(1);
  return -(queries(heads, directed).unsqueeze(1) - at_relation(candidates, projection))
              .norm(2, {-1}, /*keepdim=*/false);
}

NamedTensors TransD::parameters() const {
  return {{"entities", entities_, Rows::appended},
          {"entity_projections", entity_projections_, Rows::appended},
          {"relations", relations_, Rows::appended},
          {"relation_projections", relation_projections_, Rows::appended}};
}

std::unique_ptr<VectorScorer> TransD::scorer() const { return std::make_unique<TransDScorer>(*this); }

}  // namespace hasa
