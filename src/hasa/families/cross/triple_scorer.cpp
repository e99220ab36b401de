#include "hasa/families/cross/triple_scorer.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "hasa/base/stopwatch.h"
#include "hasa/model/read_texts.h"
#include "hasa/nn/encode_all.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

using torch::Tensor;

constexpr std::int64_t kBatchesMeasured = 4;

std::vector<std::int64_t> lengths_of(const PackedInputs& inputs) {
  std::vector<std::int64_t> lengths(inputs.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = inputs.offsets[i + 1] - inputs.offsets[i];
  return lengths;
}

double mean_of(std::span<const std::int64_t> values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0})) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

}  // namespace

TripleScorer::TripleScorer(TripleModel model, TextInputs inputs, RelationId relations)
    : model_(std::move(model)),
      inputs_(std::move(inputs)),
      relations_(relations),
      encoder_(model_.encoder().working()),
      lengths_(lengths_of(inputs_.all_entities())),
      longest_first_(lengths_.size()),
      tokens_per_batch_(tokens_per_batch(model_.device())) {
  std::vector<TextRequest> one_of_each;
  for (RelationId r = 0; r < relations_; ++r) one_of_each.push_back(TextRequest::of_triple({0, r, 0}));
  overheads_ = lengths_of(inputs_.for_evaluation(one_of_each));
  for (std::int64_t& length : overheads_) length -= 2 * lengths_.at(0);
  std::iota(longest_first_.begin(), longest_first_.end(), 0);
  std::stable_sort(longest_first_.begin(), longest_first_.end(), [&](EntityId a, EntityId b) {
    return lengths_[static_cast<std::size_t>(a)] > lengths_[static_cast<std::size_t>(b)];
  });
  const std::vector<std::int64_t> ids(longest_first_.begin(), longest_first_.end());
  order_ = torch::tensor(ids, torch::kInt64).to(device());
}

Triple TripleScorer::triple_of(const Query& query, EntityId candidate) const {
  if (query.relation < relations_) return {query.given, query.relation, candidate};
  return {candidate, query.relation - relations_, query.given};
}

std::int64_t TripleScorer::length_of(const Triple& triple) const {
  return lengths_[static_cast<std::size_t>(triple.head)] + overheads_[static_cast<std::size_t>(triple.relation)] +
         lengths_[static_cast<std::size_t>(triple.tail)];
}

std::vector<std::span<const Triple>> TripleScorer::batches_of(std::span<const Triple> triples) const {
  std::vector<std::span<const Triple>> batches;
  std::size_t begin = 0;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < triples.size(); ++i) {
    const std::int64_t length = length_of(triples[i]);
    if (i > begin && tokens + length > tokens_per_batch_) {
      batches.push_back(triples.subspan(begin, i - begin));
      begin = i;
      tokens = 0;
    }
    tokens += length;
  }
  if (begin < triples.size()) batches.push_back(triples.subspan(begin));
  return batches;
}

Tensor TripleScorer::score_batch(std::span<const Triple> triples) const {
  std::vector<TextRequest> requests;
  requests.reserve(triples.size());
  for (const Triple& triple : triples) requests.push_back(TextRequest::of_triple(triple));
  const PackedInputs inputs = inputs_.for_evaluation(requests);
  PackedTokens tokens = pack(rows_of(inputs));
  if (!device().is_cpu()) tokens = tokens.pinned().to(device());
  return model_.head().logits(encoder_.encoder(), encoder_.forward(tokens), tokens, /*training=*/false);
}

/// On a CPU each thread processes its own batches; a GPU processes one while the host assembles the next.
Tensor TripleScorer::score(std::span<const Triple> triples) const {
  Tensor result = at::empty({std::ssize(triples)}, torch::TensorOptions(torch::kFloat32).device(device()));
  const std::vector<std::span<const Triple>> batches = batches_of(triples);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    const at::NoGradGuard no_gradients;
    for (std::size_t i = next++; i < batches.size(); i = next++) {
      const auto first = batches[i].data() - triples.data();
      result.narrow(0, first, std::ssize(batches[i])).copy_(score_batch(batches[i]));
    }
  };
  if (device().is_cpu() && batches.size() > 1) {
    at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) { work(); });
  } else {
    work();
  }
  return result;
}

Tensor TripleScorer::scores(std::span<const Query> queries) const {
  const at::NoGradGuard no_gradients;
  Tensor scores =
      at::empty({std::ssize(queries), num_entities()}, torch::TensorOptions(torch::kFloat32).device(device()));
  std::vector<Triple> triples(longest_first_.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::transform(longest_first_.begin(), longest_first_.end(), triples.begin(),
                   [&](EntityId candidate) { return triple_of(queries[i], candidate); });
    scores[static_cast<std::int64_t>(i)].index_copy_(0, order_, score(triples));
  }
  return scores;
}

Tensor TripleScorer::scores_of(std::span<const Query> queries, const Tensor& candidates) const {
  const at::NoGradGuard no_gradients;
  const Tensor chosen = candidates.cpu().contiguous();  // [queries, k]
  const auto k = static_cast<std::size_t>(chosen.size(1));
  const std::int64_t* candidate = chosen.const_data_ptr<std::int64_t>();
  std::vector<Triple> triples;
  triples.reserve(queries.size() * k);
  for (const Query& query : queries) {
    for (std::size_t i = 0; i < k; ++i) triples.push_back(triple_of(query, static_cast<EntityId>(*candidate++)));
  }
  if (k == 1) return score(triples).unsqueeze(1);
  Tensor scores =
      at::empty({std::ssize(queries), chosen.size(1)}, torch::TensorOptions(torch::kFloat32).device(device()));
  for (std::size_t i = 0; i < queries.size(); ++i)
    scores[static_cast<std::int64_t>(i)].copy_(score(std::span(triples).subspan(i * k, k)));
  return scores;
}

double TripleScorer::mean_tokens() const { return 2 * mean_of(lengths_) + mean_of(overheads_); }

double TripleScorer::measured_seconds_per_token() const {
  // Candidates of all lengths, each as often as they come.
  const double wanted = static_cast<double>(kBatchesMeasured * tokens_per_batch_) / mean_tokens();
  const auto stride = static_cast<std::size_t>(std::max(1.0, static_cast<double>(longest_first_.size()) / wanted));
  std::vector<Triple> sample;
  for (std::size_t i = 0; i < longest_first_.size(); i += stride)
    sample.push_back(triple_of({longest_first_[longest_first_.size() / 2], 0}, longest_first_[i]));
  wait_for(score(std::span(sample).first((sample.size() + 1) / 2)));  // the first pass prepares products
  const Stopwatch watch;
  wait_for(score(sample));
  const double seconds = watch.seconds();
  std::int64_t tokens = 0;
  for (const Triple& triple : sample) tokens += length_of(triple);
  return seconds / static_cast<double>(tokens);
}

ScoringCost TripleScorer::cost() const {
  std::call_once(measured_, [&] { seconds_per_token_ = measured_seconds_per_token(); });
  const EncoderConfig& shape = model_.encoder().weights().config();
  const double tokens = mean_tokens() * static_cast<double>(num_entities());
  const std::int64_t at_once = device().is_cpu() ? at::get_num_threads() : 1;
  const auto element = static_cast<std::int64_t>(model_.encoder().working().dtype() == torch::kFloat32 ? 4 : 2);
  return {.bytes_per_query = at_once * tokens_per_batch_ * (8 * shape.hidden + 3 * shape.intermediate) * element,
          .block = 1,
          .seconds_per_query = seconds_per_token_ * tokens,
          .tokens_per_query = tokens,
          .flops_per_token = 2 * static_cast<double>(model_.encoder().weights().matrix_weights())};
}

}  // namespace hasa
