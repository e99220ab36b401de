#include "hasa/families/star/star_model.h"

#include <ATen/core/grad_mode.h>

#include <utility>
#include <vector>

#include "hasa/model/read_texts.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/encoder/hashed_dropout.h"

namespace hasa {
namespace {

using torch::Tensor;

constexpr const char* kStarLayers = "hasa";  // their prefix in model.safetensors

/// The classifier's weights, one for each number of u, u * v, u - v and v, [hidden] each.
struct Quarters {
  Tensor of_query, of_product, of_difference, of_entity;

  explicit Quarters(const Linear& classifier) {
    const std::vector<Tensor> parts = classifier.weight.squeeze(0).chunk(4);
    of_query = parts[0];
    of_product = parts[1];
    of_difference = parts[2];
    of_entity = parts[3];
  }
};

class StarScorer : public VectorScorer {
 public:
  StarScorer(const StarModel& model, const TextInputs& inputs, bool show_progress, Comm& comm)
      : model_(model), inputs_(inputs), encoder_(model.encoder().working()) {
    const at::NoGradGuard no_gradients;
    entities_ = StarModel::entity_vectors(read_texts(encoder_, model.encoder().pooling(), inputs.all_entities(),
                                                     show_progress ? "encoding entities" : nullptr, comm));
  }

  const Tensor& entities() const override { return entities_; }
  Tensor query_vectors(std::span<const Query> queries) const override {
    const at::NoGradGuard no_gradients;
    std::vector<TextRequest> requests;
    requests.reserve(queries.size());
    for (const Query& query : queries) requests.push_back(TextRequest::of_query(query.given, query.relation));
    return model_.query_vectors(
        read_texts(encoder_, model_.encoder().pooling(), inputs_.for_evaluation(requests), nullptr));
  }

 private:
  StarModel model_;  // shares its tensors, as the inputs share theirs
  TextInputs inputs_;
  FrozenEncoder encoder_;  // prepared once for all queries
  Tensor entities_;
};

}  // namespace

StarModel::StarModel(const TuningConfig& config, TunedEncoder encoder)
    : dropout_(config.dropout), encoder_(std::move(encoder)), classifier_(4 * encoder_.weights().config().hidden, 1) {
  for (const NamedTensor& p : new_layers()) p.tensor.set_data(p.tensor.to(encoder_.device()));
}

Tensor StarModel::logits(const Tensor& queries, const Tensor& entities, bool training) const {
  const Tensor product = queries * entities, u = queries.expand_as(product), v = entities.expand_as(product);
  const Tensor features = torch::cat({u, product, u - v, v}, -1);
  return classifier_(hashed_dropout(features, dropout_, training)).squeeze(-1);
}

Tensor StarModel::distances(const Tensor& queries, const Tensor& entities) {
  constexpr double kLeastSquare = 1e-12;  // below it the root's slope is none to follow
  return (queries - entities).square().sum(-1).clamp_min(kLeastSquare).sqrt();
}

Tensor StarModel::query_vectors(const Tensor& queries) const {
  const Quarters w(classifier_);
  // In float32 sums whose order does not depend on which queries stand beside it.
  const Tensor constant = (queries * (w.of_query + w.of_difference)).sum(1, /*keepdim=*/true) + classifier_.bias;
  return torch::cat({queries * w.of_product + (w.of_entity - w.of_difference), constant}, 1);
}

Tensor StarModel::entity_vectors(const Tensor& entities) {
  return torch::cat({entities, torch::ones({entities.size(0), 1}, entities.options())}, 1);
}

NamedTensors StarModel::new_layers() const {
  NamedTensors list;
  append(list, "classifier", classifier_.parameters());
  return list;
}

Parameters StarModel::parameters() const {
  Parameters list;
  append(list, "language_model", encoder_.parameters(), ParameterKind::language_model);
  for (const NamedTensor& each : new_layers()) list.push_back({each.name, each.tensor, ParameterKind::new_layer});
  return list;
}

void StarModel::save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const {
  NamedTensors more;
  append(more, kStarLayers, new_layers());
  encoder_.weights().save(folder, more, about);
}

void StarModel::load_classifier(const std::filesystem::path& folder) const {
  const std::string prefix = std::string(kStarLayers) + ".";
  copy_into(new_layers(), load_weights(folder / "model.safetensors", prefix), prefix);
}

std::unique_ptr<VectorScorer> make_star_scorer(const StarModel& model, const TextInputs& inputs, bool show_progress,
                                               Comm& comm) {
  return std::make_unique<StarScorer>(model, inputs, show_progress, comm);
}

}  // namespace hasa
