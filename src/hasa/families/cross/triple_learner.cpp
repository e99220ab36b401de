#include "hasa/families/cross/triple_learner.h"

#include <ATen/ops/binary_cross_entropy_with_logits.h>

#include <numeric>
#include <utility>

#include "hasa/base/rng.h"
#include "hasa/families/cross/triple_examples.h"
#include "hasa/model/read_texts.h"
#include "hasa/ops/core/region.h"
#include "hasa/train/host_tensor.h"

namespace hasa {

TripleLearner::TripleLearner(const Options& options, TripleModel model, TextInputs inputs, const TrainContext& context)
    : GradientLearner(options.optimiser),
      options_(options),
      seed_(context.seed),
      graph_(context.graph),
      model_(std::move(model)),
      inputs_(std::move(inputs)),
      known_(KnownAnswers::of_training(graph_)),
      order_(seed_, std::ssize(graph_.triples(Split::train)), options.train.batch),
      ahead_([this](std::int64_t step) { return prepare(step); }) {}

std::vector<TripleLearner::Portion> TripleLearner::prepare(std::int64_t step) {
  Rng rng(seed_, "step", static_cast<std::uint64_t>(step));
  std::vector<Triple> batch;
  for (const std::int64_t row : order_.rows_of(step))
    batch.push_back(graph_.triples(Split::train)[static_cast<std::size_t>(row)]);
  const Corruption corruption(known_, graph_.entities(), graph_.relations());
  const TripleExamples examples = triple_examples(batch, corruption, options_.negatives, rng);
  const PackedInputs inputs = inputs_.for_training(examples.texts, rng.next());
  const TokenRows rows = rows_of(inputs);
  std::vector<std::int64_t> order(inputs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto all = static_cast<std::int64_t>(inputs.ids.size());
  std::vector<Portion> portions;
  for (const auto& part :
       batches_within(rows, order, options_.train.chunk_tokens > 0 ? options_.train.chunk_tokens : all)) {
    std::vector<float> truth;
    for (const std::int64_t i : part) truth.push_back(examples.truth[static_cast<std::size_t>(i)]);
    const PackedTokens triples = pack(rows, part);
    portions.push_back(
        {model_.device().is_cpu() ? triples : triples.pinned(), host_tensor(truth, torch::kFloat32, model_.device())});
  }
  return portions;
}

StepReport TripleLearner::backward(std::int64_t step) {
  const std::vector<Portion> portions = [&] {
    const Region region("inputs");
    return ahead_.take(step);
  }();
  std::int64_t triples = 0, tokens = 0;
  for (const Portion& portion : portions) triples += portion.truth.size(0);
  torch::Tensor loss, right;
  for (const Portion& portion : portions) {
    const torch::Tensor truth = portion.truth.to(model_.device(), /*non_blocking=*/true);
    const torch::Tensor logits = model_.logits(portion.triples.to(model_.device()), /*training=*/true);
    // Each micro-batch contributes its part of the mean, so that the gradients add up to that of the whole step.
    const torch::Tensor part =
        at::binary_cross_entropy_with_logits(logits, truth, {}, {}, at::Reduction::Sum) / static_cast<double>(triples);
    {
      const Region region("backward");
      part.backward();
      model_.collect_gradients();
    }
    const torch::Tensor hits = (logits.detach() > 0).eq(truth > 0.5).sum();
    loss = loss.defined() ? loss + part.detach() : part.detach();
    right = right.defined() ? right + hits : hits;
    tokens += portion.triples.tokens();
  }
  return {.loss = loss,
          .gradient_norm = {},
          .metrics = {right.to(torch::kFloat32) / static_cast<double>(triples)},
          .tokens = tokens,
          .flops = model_.encoder().flops_per_token() * static_cast<double>(tokens)};
}

}  // namespace hasa
