#include "hasa/families/path/path_learner.h"

#include <algorithm>
#include <utility>

#include "hasa/base/memory.h"
#include "hasa/families/path/path_loss.h"
#include "hasa/families/path/path_scorer.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/train/host_tensor.h"

namespace hasa {
namespace {

/// What one process predicts of a step's examples; a first query, if it has none.
PathExamples share_of(const PathExamples& all, const Comm& comm) {
  RowShare share = comm.share_of(std::ssize(all.queries));
  if (share.count == 0) share = {0, 1};
  const std::int64_t end = share.first + share.count;
  const std::int64_t negatives = std::ssize(all.negatives) / std::ssize(all.queries);
  PathExamples own;
  own.queries.assign(all.queries.begin() + share.first, all.queries.begin() + end);
  own.negatives.assign(all.negatives.begin() + share.first * negatives, all.negatives.begin() + end * negatives);
  own.hidden = all.hidden;
  for (std::size_t i = 0; i < all.answers.size(); ++i) {
    if (all.query_of_answer[i] < share.first || all.query_of_answer[i] >= end) continue;
    own.query_of_answer.push_back(all.query_of_answer[i] - share.first);
    own.answers.push_back(all.answers[i]);
  }
  return own;
}

}  // namespace

PathLearner::PathLearner(const PathFamily& config, const TrainContext& context)
    : PathLearner(config, PathModel(config.model, context.graph.relations(), context.device), context) {}

PathLearner::PathLearner(const PathFamily& config, PathModel model, const TrainContext& context)
    : GradientLearner(config.optimiser, context.comm),
      config_(config),
      seed_(context.seed),
      entities_(context.graph.entities()),
      model_(std::move(model)),
      graph_(training_paths(context.graph).to(context.device)),
      source_(context.graph, config.paths),
      order_(context.seed, source_.size(), config.train.batch),
      ahead_([this](std::int64_t step) { return prepare(step); }) {}

TrainAdvice PathLearner::advice() const {
  return {"a smaller train.batch: a query takes up to " + format_bytes(model_.training_bytes(graph_)),
          "a smaller optimiser.lr, or optimiser.clip=1", "a smaller optimiser.lr, or a larger train.batch"};
}

PathLearner::Prepared PathLearner::prepare(std::int64_t step) {
  Rng rng(seed_, "step", static_cast<std::uint64_t>(step));
  const PathExamples all = source_.draw(order_.rows_of(step), rng);
  const PathExamples examples = comm().alone() ? all : share_of(all, comm());
  std::vector<std::int64_t> heads, relations, known;
  for (std::size_t q = 0; q < examples.queries.size(); ++q) {
    const Query& query = examples.queries[q];
    heads.push_back(query.given);
    relations.push_back(query.relation);
    if (config_.paths.negatives > 0) continue;  // those that are drawn are no known answers already
    for (const EntityId answer : source_.known().tails(query.given, query.relation))
      known.push_back(static_cast<std::int64_t>(q) * entities_ + answer);
  }
  const auto tensor = [&](const std::vector<std::int64_t>& values) {
    return host_tensor(values, torch::kInt64, model_.device());
  };
  Prepared now{
      tensor(heads),           tensor(relations), tensor(examples.query_of_answer), tensor(examples.answers), {},
      tensor(examples.hidden), tensor(known)};
  // A process without queries reads one that does not count.
  const RowShare share = comm().share_of(std::ssize(all.queries));
  now.fraction =
      share.count == 0 ? 0 : static_cast<double>(examples.answers.size()) / static_cast<double>(all.answers.size());
  if (config_.paths.negatives > 0) now.negatives = tensor(examples.negatives).view({std::ssize(heads), -1});
  return now;
}

StepReport PathLearner::backward(std::int64_t step) {
  Prepared now = ahead_.take(step);
  for (torch::Tensor* x :
       {&now.heads, &now.relations, &now.query_of_answer, &now.answers, &now.negatives, &now.hidden, &now.known}) {
    if (x->defined()) *x = x->to(model_.device(), /*non_blocking=*/true);
  }
  const PathBatchPtr batch = make_path_batch(graph_, now.heads, now.hidden, config_.model.layers);
  const torch::Tensor scores = model_.scores(batch, now.relations);
  torch::Tensor loss = path_loss({scores, now.query_of_answer, now.answers, now.negatives, now.known}, config_.paths);
  if (!comm().alone()) loss = loss * now.fraction;
  last_pass_begins();
  loss.backward();
  loss = loss.detach();
  // How much of the graph is reached, which determines the cost of a step.
  torch::Tensor reached = torch::full(
      {}, static_cast<double>(batch->rows.back()) / static_cast<double>(std::max<std::int64_t>(1, scores.numel())),
      torch::TensorOptions(torch::kFloat32).device(model_.device()));
  if (!comm().alone()) {
    comm().all_reduce(std::vector<torch::Tensor>{loss, reached});
    reached /= comm().size();
  }
  return {.loss = loss, .gradient_norm = {}, .metrics = {reached}};
}

std::unique_ptr<Scorer> PathLearner::scorer() const { return std::make_unique<PathScorer>(model_, graph_); }

void PathLearner::save_model(const std::filesystem::path& folder,
                             const std::map<std::string, std::string>& about) const {
  save_tensors(folder / "model.safetensors", model_.parameters(), about);
}

}  // namespace hasa
