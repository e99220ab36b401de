#include "hasa/train/frozen_learner.h"

#include "hasa/base/error.h"
#include "hasa/loss/info_nce.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/train/host_tensor.h"

namespace hasa {
namespace {

constexpr std::size_t kStepsAhead = 3;

}  // namespace

FrozenLearner::FrozenLearner(const TrainConfig& config, const HasaConfig& model, const Graph& graph,
                             const TextEmbeddings& texts, const torch::Device& device)
    : graph_(graph),
      margin_(config.loss.margin),
      model_(model, texts, graph, device),
      known_(KnownAnswers::of_training(graph)),
      triples_(with_inverses(graph.triples(Split::train), graph.relations())),
      order_(config.seed, static_cast<std::int64_t>(triples_.size()), config.train.batch),
      ahead_([this](std::int64_t step) { return prepare(step); }, kStepsAhead) {
  HASA_CHECK(config.loss.kind == ContrastiveKind::simple, config,
             "loss.kind is not simple, but over a frozen language model all entities are candidates of Simple InfoNCE\n"
             "leave it out, or train the language model too with model.type=text");
}

FrozenLearner::Prepared FrozenLearner::prepare(std::int64_t step) {
  const auto training = static_cast<std::int64_t>(graph_.triples(Split::train).size());
  std::vector<Triple> batch;
  torch::Tensor keep = torch::ones({training}, torch::kBool);
  for (const std::int64_t row : order_.rows_of(step)) {
    batch.push_back(triples_[static_cast<std::size_t>(row)]);
    // The context must not show the edges that are asked for, from either end.
    keep.data_ptr<bool>()[row % training] = false;
  }
  const torch::Device device = model_.device();
  const QueryColumns columns = columns_of(batch, torch::kCPU);
  const RaggedIds known = known_rows(known_, batch);
  return {{for_device(columns.heads, device), for_device(columns.relations, device), for_device(columns.tails, device)},
          {for_device(known.ids, device), for_device(known.offsets, device)},
          for_device(keep, device)};
}

Parameters FrozenLearner::parameters() const {
  Parameters list;
  for (const NamedTensor& p : model_.parameters()) {
    const bool scale = p.name == "log_scale";
    list.push_back({p.name, p.tensor, scale ? ParameterKind::scale : ParameterKind::new_layer});
  }
  return list;
}

StepReport FrozenLearner::backward(std::int64_t step) {
  const Prepared now = ahead_.take(step);
  const torch::Device device = model_.device();
  const auto there = [&](const torch::Tensor& x) { return x.to(device, /*non_blocking=*/true); };
  const torch::Tensor entities = model_.entities(there(now.keep), /*training=*/true);
  const torch::Tensor queries = model_.queries(entities.index_select(0, there(now.columns.heads)),
                                               model_.relations(/*training=*/true), there(now.columns.relations));
  const RaggedIds known{there(now.known.ids), there(now.known.offsets)};
  const torch::Tensor loss =
      info_nce_over_all({queries, entities, model_.scale(), there(now.columns.tails), known}, {margin_});
  loss.backward();
  return {loss.detach(), {}, 0, 0};
}

void FrozenLearner::save_model(const std::filesystem::path& folder,
                               const std::map<std::string, std::string>& about) const {
  save_tensors(folder / "model.safetensors", model_.parameters(), about);
}

}  // namespace hasa
