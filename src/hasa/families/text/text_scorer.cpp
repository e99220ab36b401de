#include "hasa/families/text/text_scorer.h"

#include <ATen/core/grad_mode.h>

#include <functional>

#include "hasa/families/text/text_model.h"
#include "hasa/model/query_columns.h"

namespace hasa {
namespace {

using torch::Tensor;

/// The mean over all context samples; inputs_of(draw) assembles the texts with one of them. encoder: of the model.
Tensor read_draws(const TextModel& model, const FrozenEncoder& encoder, std::uint32_t draws, const char* title,
                  const std::function<PackedInputs(std::uint32_t)>& inputs_of, Comm& comm = one_process()) {
  const SoftRows soft_rows = model.soft_rows();
  const auto read = [&](std::uint32_t draw) {
    return read_texts(encoder, model.pooling(), inputs_of(draw), title, comm, soft_rows);
  };
  Tensor sum = read(0);
  for (std::uint32_t draw = 1; draw < draws; ++draw) sum += read(draw);
  return draws > 1 ? sum / static_cast<double>(draws) : sum;
}

TextModel with_own_bank(TextModel model, const TextInputs& inputs, bool show_progress, Comm& comm) {
  if (inputs.has_soft_tokens()) model.set_bank(own_word_vectors(model, inputs, show_progress, comm));
  return model;
}

}  // namespace

TextScorer::TextScorer(const TextModel& model, const TextInputs& inputs, bool show_progress, Comm& comm)
    : model_(with_own_bank(model, inputs, show_progress, comm)),
      inputs_(inputs),
      encoder_(model.working()),
      entities_(entity_vectors(model_, inputs, inputs.draws(), show_progress, comm)) {
  if (model.config().query == QueryForm::gru) relations_ = relation_vectors(model, inputs);
}

Tensor TextScorer::read(const std::function<PackedInputs(std::uint32_t)>& inputs_of) const {
  return read_draws(model_, encoder_, inputs_.draws(), nullptr, inputs_of);
}

Tensor TextScorer::query_vectors(std::span<const Query> queries) const {
  const at::NoGradGuard no_gradients;
  if (relations_.defined()) {
    const QueryIds ids = ids_of(queries, device());
    return model_.gru_queries(entities_.index_select(0, ids.given), relations_, ids.relations);
  }
  return model_.joint_queries(read([&](std::uint32_t draw) {
    std::vector<TextRequest> requests;
    requests.reserve(queries.size());
    for (const Query& query : queries) requests.push_back(TextRequest::of_query(query.given, query.relation, draw));
    return inputs_.for_evaluation(requests);
  }));
}

Tensor own_word_vectors(const TextModel& model, const TextInputs& inputs, bool show_progress, Comm& comm) {
  const at::NoGradGuard no_gradients;
  const Tensor texts = read_texts(FrozenEncoder(model.working()), model.pooling(), inputs.own_words(),
                                  show_progress ? "reading entities' own words" : nullptr, comm);
  return model.entities(texts, /*training=*/false);
}

Tensor entity_vectors(const TextModel& model, const TextInputs& inputs, std::uint32_t draws, bool show_progress,
                      Comm& comm) {
  const at::NoGradGuard no_gradients;
  const Tensor texts = read_draws(
      model, FrozenEncoder(model.working()), draws, show_progress ? "reading entities" : nullptr,
      [&](std::uint32_t draw) { return inputs.all_entities(draw); }, comm);
  return model.entities(texts, /*training=*/false);
}

Tensor relation_vectors(const TextModel& model, const TextInputs& inputs) {
  const at::NoGradGuard no_gradients;
  const Tensor texts = read_texts(FrozenEncoder(model.working()), model.pooling(), inputs.all_relations(), nullptr);
  return model.entities(texts, /*training=*/false);
}

std::unique_ptr<VectorScorer> make_scorer(const TextModel& model, const TextInputs& inputs, bool show_progress,
                                          Comm& comm) {
  return std::make_unique<TextScorer>(model, inputs, show_progress, comm);
}

std::unique_ptr<Scorer> with_pair_terms(std::unique_ptr<VectorScorer> scorer, const TextModel& model,
                                        std::shared_ptr<const PairTerms> terms) {
  if (!terms) return scorer;
  const double scale = model.scale().item<double>();
  return std::make_unique<PairTermsScorer>(std::move(scorer), std::move(terms), model.pair_weights(), scale);
}

}  // namespace hasa
