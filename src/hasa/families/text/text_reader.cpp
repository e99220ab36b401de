#include <ATen/core/grad_mode.h>

#include <utility>

#include "hasa/families/text/text_family.h"
#include "hasa/families/text/text_scorer.h"
#include "hasa/model/language_model.h"
#include "hasa/model/new_text.h"
#include "hasa/nn/encode_all.h"
#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

using torch::Tensor;

/// Encodes new texts by the fine-tuned model, with the entity's facts as its context.
class TunedReader : public TextReader {
 public:
  TunedReader(WordPiece tokenizer, bool reads_facts, const TextScorer& scorer)
      : tokenizer_(std::move(tokenizer)), reads_facts_(reads_facts), scorer_(scorer) {}

  Tensor entity_vectors(std::span<const UnseenEntity> entities) const override {
    const at::NoGradGuard no_gradients;
    std::vector<NewText> texts;
    for (const UnseenEntity& entity : entities) texts.push_back(new_text(tokenizer_, entity));
    return scorer_.model().entities(read(texts), /*training=*/false);
  }

  Tensor query_vectors(std::span<const UnseenQuery> queries) const override {
    const at::NoGradGuard no_gradients;
    return scorer_.relations().defined() ? gru_queries(queries) : joint_queries(queries);
  }

  Tensor text_vectors(std::span<const std::string> texts) const override {
    const auto longest = static_cast<std::size_t>(scorer_.encoder().encoder().config().longest_text());
    const PackedInputs inputs = plain_inputs(tokenizer_, texts, longest);
    EncodeAllOptions options;
    options.pooling = scorer_.model().pooling();
    return unit_rows(encode_all(scorer_.encoder(), TokenRows{inputs.ids, inputs.offsets}, options));
  }

  bool reads_facts() const override { return reads_facts_; }

  std::int64_t tokens(const UnseenEntity& entity) const override {
    const NewText text = new_text(tokenizer_, entity);
    return std::ssize(scorer_.inputs().for_new({&text, 1}).ids) * scorer_.inputs().draws();
  }

 private:
  Tensor read(std::vector<NewText>& texts) const {
    return scorer_.read([&](std::uint32_t draw) {
      for (NewText& text : texts) text.draw = draw;
      return scorer_.inputs().for_new(texts);
    });
  }

  Tensor joint_queries(std::span<const UnseenQuery> queries) const {
    std::vector<NewText> texts;
    for (const UnseenQuery& query : queries) {
      texts.push_back(new_text(tokenizer_, *query.entity));
      texts.back().relation = query.relation;
    }
    return scorer_.model().joint_queries(read(texts));
  }

  Tensor gru_queries(std::span<const UnseenQuery> queries) const {
    const UnseenVectors heads(*this, queries);
    return scorer_.model().gru_queries(heads.of_each, scorer_.relations(), heads.relations);
  }

  WordPiece tokenizer_;
  bool reads_facts_;
  const TextScorer& scorer_;
};

}  // namespace

std::unique_ptr<TextReader> open_text_reader(const TextFamily& config, const OpenContext& context,
                                             const Scorer& scorer) {
  // With terms that the training graph gives, a score is no similarity of vectors, and a new text has no such terms.
  if (config.terms.any()) return nullptr;
  return std::make_unique<TunedReader>(load_tokenizer(context.run / Run::kBestFolder), tells_edges(config.text),
                                       dynamic_cast<const TextScorer&>(scorer));
}

}  // namespace hasa
