#include "hasa/families/frozen/frozen_reader.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/model/new_text.h"
#include "hasa/nn/encode_all.h"
#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

torch::Tensor column(const std::vector<std::int64_t>& values, const torch::Device& device) {
  return torch::tensor(values, torch::kInt64).to(device);
}

VectorContext::NewEdges edges_of(std::span<const UnseenEntity> entities, const torch::Device& device) {
  std::vector<std::int64_t> entity, relation, neighbour;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    for (const UnseenEntity::Fact& fact : entities[i].facts) {
      entity.push_back(static_cast<std::int64_t>(i));
      relation.push_back(fact.relation);
      neighbour.push_back(fact.neighbour);
    }
  }
  return {column(entity, device), column(relation, device), column(neighbour, device)};
}

}  // namespace

FrozenReader::FrozenReader(const FrozenFamily& config, const LanguageModel& language_model, const Graph& graph,
                           const FrozenScorer& scorer)
    : scorer_(scorer),
      tokenizer_(language_model.tokenizer),
      inputs_(tokenizer_, GraphTokens{}, config.text, graph),
      encoder_(Encoder::load(language_model.folder,
                             {dtype_for(config.language_model.precision, scorer.device()), scorer.device()})),
      pooling_(config.language_model.pool) {
  const torch::NoGradGuard no_gradients;
  before_context_ = scorer.model().before_context();
}

torch::Tensor FrozenReader::read(const PackedInputs& inputs) const {
  EncodeAllOptions options;
  options.pooling = pooling_;
  return unit_rows(encode_all(encoder_, TokenRows{inputs.ids, inputs.offsets}, options));
}

torch::Tensor FrozenReader::entity_vectors(std::span<const UnseenEntity> entities) const {
  const torch::NoGradGuard no_gradients;
  std::vector<NewText> texts;
  for (const UnseenEntity& entity : entities) texts.push_back(new_text(tokenizer_, entity));
  return scorer_.model().new_entities(read(inputs_.for_new(texts)), before_context_,
                                      edges_of(entities, scorer_.device()));
}

torch::Tensor FrozenReader::query_vectors(std::span<const UnseenQuery> queries) const {
  const torch::NoGradGuard no_gradients;
  const UnseenVectors heads(*this, queries);
  return scorer_.model().queries(heads.of_each, scorer_.relations(), heads.relations);
}

torch::Tensor FrozenReader::text_vectors(std::span<const std::string> texts) const {
  const auto longest = static_cast<std::size_t>(encoder_.encoder().config().longest_text());
  return read(plain_inputs(tokenizer_, texts, longest));
}

std::int64_t FrozenReader::tokens(const UnseenEntity& entity) const {
  const NewText text = new_text(tokenizer_, entity);
  return std::ssize(inputs_.for_new({&text, 1}).ids);
}

std::unique_ptr<TextReader> open_text_reader(const FrozenFamily& config, const OpenContext& context,
                                             const Scorer& scorer) {
  const LanguageModel language_model = LanguageModel::open(config.language_model.path);
  check_language_model(run_texts(context.run), language_model);
  return std::make_unique<FrozenReader>(config, language_model, context.graph,
                                        dynamic_cast<const FrozenScorer&>(scorer));
}

}  // namespace hasa
