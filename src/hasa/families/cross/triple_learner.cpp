#include "hasa/families/cross/triple_learner.h"

#include <ATen/ops/binary_cross_entropy_with_logits.h>

#include <utility>

#include "hasa/base/rng.h"
#include "hasa/families/cross/triple_examples.h"
#include "hasa/model/read_texts.h"
#include "hasa/ops/core/region.h"
#include "hasa/train/host_tensor.h"
#include "hasa/train/text_portions.h"

namespace hasa {

TripleLearner::TripleLearner(const Options& options, TripleModel model, TextInputs inputs, const TrainContext& context)
    : GradientLearner(options.optimiser, context.comm),
      options_(options),
      seed_(context.seed),
      graph_(context.graph),
      model_(std::move(model)),
      inputs_(std::move(inputs)),
      known_(KnownAnswers::of_training(graph_)),
      order_(seed_, std::ssize(graph_.triples(Split::train)), options.train.batch),
      ahead_([this](std::int64_t step) { return prepare(step); }) {}

TripleLearner::Step TripleLearner::prepare(std::int64_t step) {
  Rng rng(seed_, "step", static_cast<std::uint64_t>(step));
  std::vector<Triple> batch;
  for (const std::int64_t row : order_.rows_of(step))
    batch.push_back(graph_.triples(Split::train)[static_cast<std::size_t>(row)]);
  const Corruption corruption(known_, graph_.entities(), graph_.relations());
  const TripleExamples examples = triple_examples(batch, corruption, options_.negatives, rng);
  const PackedInputs inputs = inputs_.for_training(examples.texts, rng.next());
  const SharedPortions shared = shared_portions_of(inputs, options_.train.chunk_tokens, model_.device(), comm());
  Step made{{}, std::ssize(examples.truth), std::ssize(inputs.ids)};
  for (std::size_t i = 0; i < shared.own.size(); ++i) {
    const std::int64_t own =
        comm().alone() ? shared.own[i].texts() : shared.shares[i][static_cast<std::size_t>(comm().rank())];
    const auto first = examples.truth.begin() + shared.first_row[i];
    made.portions.push_back(
        {shared.own[i], host_tensor(std::vector<float>(first, first + own), torch::kFloat32, model_.device())});
  }
  return made;
}

StepReport TripleLearner::backward(std::int64_t step) {
  const Step now = [&] {
    const Region region("inputs");
    return ahead_.take(step);
  }();
  torch::Tensor loss, right;
  for (const Portion& portion : now.portions) {
    const torch::Tensor truth = portion.truth.to(model_.device(), /*non_blocking=*/true);
    const torch::Tensor logits =
        model_.logits(portion.triples.to(model_.device()), /*training=*/true).narrow(0, 0, truth.size(0));
    // Each micro-batch contributes its part of the mean, so that the gradients add up to that of the whole step.
    const torch::Tensor part = at::binary_cross_entropy_with_logits(logits, truth, {}, {}, at::Reduction::Sum) /
                               static_cast<double>(now.triples);
    {
      const Region region("backward");
      if (&portion == &now.portions.back()) last_pass_begins();
      part.backward();
      model_.collect_gradients();
    }
    const torch::Tensor hits = (logits.detach() > 0).eq(truth > 0.5).sum();
    loss = loss.defined() ? loss + part.detach() : part.detach();
    right = right.defined() ? right + hits : hits;
  }
  torch::Tensor accurate = right.to(torch::kFloat32) / static_cast<double>(now.triples);
  comm().all_reduce(std::vector<torch::Tensor>{loss, accurate});
  return {.loss = loss,
          .gradient_norm = {},
          .metrics = {accurate},
          .tokens = now.tokens,
          .flops = model_.encoder().flops_per_token() * static_cast<double>(now.tokens)};
}

}  // namespace hasa
