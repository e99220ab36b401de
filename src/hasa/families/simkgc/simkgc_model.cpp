#include "hasa/families/simkgc/simkgc_model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <utility>
#include <vector>

#include "hasa/model/read_texts.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

using torch::Tensor;

constexpr const char* kRest = "hasa";  // prefix in model.safetensors of what stands beside the entities' model

class SimkgcScorer : public VectorScorer {
 public:
  SimkgcScorer(const SimkgcModel& model, const TextInputs& inputs, bool show_progress, Comm& comm)
      : inputs_(inputs), queries_(model.queries().working()), pooling_(model.queries().pooling()) {
    const at::NoGradGuard no_gradients;
    entities_ = unit_rows(read_texts(FrozenEncoder(model.entities().working()), pooling_, inputs.all_entities(),
                                     show_progress ? "encoding entities" : nullptr, comm));
  }

  const Tensor& entities() const override { return entities_; }
  Tensor query_vectors(std::span<const Query> queries) const override {
    const at::NoGradGuard no_gradients;
    std::vector<TextRequest> requests;
    requests.reserve(queries.size());
    for (const Query& query : queries) requests.push_back(TextRequest::of_query(query.given, query.relation));
    return unit_rows(read_texts(queries_, pooling_, inputs_.for_evaluation(requests), nullptr));
  }

 private:
  TextInputs inputs_;
  FrozenEncoder queries_;  // prepared once for all queries
  Pooling pooling_;
  Tensor entities_;
};

}  // namespace

SimkgcModel::SimkgcModel(const SimkgcModelConfig& config, TunedEncoder start)
    : entities_(std::move(start)),
      queries_(entities_.twin()),
      log_scale_(
          torch::tensor(static_cast<float>(-std::log(config.temperature)), torch::TensorOptions(entities_.device()))
              .requires_grad_()) {}

NamedTensors SimkgcModel::rest() const {
  NamedTensors list;
  append(list, "queries", queries_.parameters());
  list.push_back({"log_scale", log_scale_});
  return list;
}

Parameters SimkgcModel::parameters() const {
  Parameters list;
  append(list, "language_model", entities_.parameters(), ParameterKind::language_model);
  append(list, "queries", queries_.parameters(), ParameterKind::language_model);
  list.push_back({"log_scale", log_scale_, ParameterKind::scale});
  return list;
}

void SimkgcModel::collect_gradients() const {
  entities_.collect_gradients();
  queries_.collect_gradients();
}

void SimkgcModel::publish() const {
  entities_.publish();
  queries_.publish();
}

void SimkgcModel::save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const {
  NamedTensors more;
  append(more, kRest, rest());
  entities_.weights().save(folder, more, about);
}

void SimkgcModel::load_rest(const std::filesystem::path& folder) const {
  const at::NoGradGuard no_gradients;
  const std::string prefix = std::string(kRest) + ".";
  copy_into(rest(), load_weights(folder / "model.safetensors", prefix), prefix);
  publish();
}

std::unique_ptr<VectorScorer> make_simkgc_scorer(const SimkgcModel& model, const TextInputs& inputs, bool show_progress,
                                                 Comm& comm) {
  return std::make_unique<SimkgcScorer>(model, inputs, show_progress, comm);
}

}  // namespace hasa
