#include "hasa/model/text_embeddings.h"

#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/input/text_inputs.h"
#include "hasa/model/language_model.h"
#include "hasa/nn/encode_all.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/unit_rows.h"

namespace hasa {
namespace {

torch::Tensor encode(const Encoder& encoder, const PackedInputs& inputs, Pooling pooling, const char* title) {
  Progress progress(title, inputs.size(), "texts");
  EncodeAllOptions options;
  options.pooling = pooling;
  options.progress = [&](std::int64_t texts) { progress.advance(static_cast<std::uint64_t>(texts)); };
  return unit_rows(encode_all(encoder, TokenRows{inputs.ids, inputs.offsets}, options));
}

std::string describe(const Graph& graph, const TextConfig& text, const LanguageModel& model, Pooling pool,
                     torch::Dtype dtype) {
  return fmt::format("graph {:016x}, language model {:016x}, text \"{}\"{} in {} tokens, pool {}, {}",
                     graph.content_hash(), model.fingerprint(), text.entity,
                     text.first_clause ? " to the first semicolon" : "", text.max_tokens, to_string(pool),
                     c10::toString(dtype));
}

TextEmbeddings compute(const LanguageModel& model, const TextInputs& inputs, const EncoderOptions& how, Pooling pool) {
  const Encoder encoder = Encoder::load(model.folder, how);
  check_pooling(encoder, pool);
  return {encode(encoder, inputs.all_entities(), pool, "reading entities"),
          encode(encoder, inputs.all_relations(), pool, "reading relations"), ""};
}

}  // namespace

TextEmbeddings embed_texts(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& text,
                           const LanguageModelConfig& config, const torch::Device& device) {
  const LanguageModel model = LanguageModel::open(config.path);
  // A text read once for all steps would tell each step's answer.
  HASA_CHECK(text.context == 0, config,
             "text.context is {}, but a frozen language model reads an entity's own words alone: its neighbours come "
             "in as vectors (model.context_layers), or with model.type=text as words",
             text.context);
  HASA_CHECK(text.max_tokens <= model.config.longest_text(), config,
             "text.max_tokens is {}, but {} reads at most {}\nset it to {} at most", text.max_tokens,
             model.folder.filename().string(), model.config.longest_text(), model.config.longest_text());
  const TextInputs inputs(model.tokenizer, GraphTokens::cached(graph, model.tokenizer, graph_folder), text, graph);
  const torch::Dtype dtype = dtype_for(config.precision, device);
  const std::string made_from = describe(graph, text, model, config.pool, dtype);
  const auto file =
      graph_folder / fmt::format("texts-{:016x}.safetensors", hash_bytes(made_from.data(), made_from.size()));
  if (std::filesystem::exists(file)) {
    try {
      return TextEmbeddings::load(file);
    } catch (const Error& error) {
      log_debug("{}; the texts are read anew", error.what());
    }
  }
  TextEmbeddings embeddings = compute(model, inputs, {dtype, device}, config.pool);
  embeddings.made_from = made_from;
  try {
    embeddings.save(file);
  } catch (const Error& error) {
    log_debug("embeddings are not kept with the graph: {}", error.what());
  }
  return embeddings;
}

void TextEmbeddings::save(const std::filesystem::path& file) const {
  save_tensors(file, {{"entities", entities}, {"relations", relations}}, {{"made_from", made_from}});
}

TextEmbeddings TextEmbeddings::load(const std::filesystem::path& file) {
  const TensorFile stored = load_tensors(file);
  return {stored.at("entities"), stored.at("relations"), stored.metadata_at("made_from")};
}

}  // namespace hasa
