#include "hasa/model/text_embeddings.h"

#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/input/text_inputs.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/unit_rows.h"
#include "hasa/nn/encode_all.h"

namespace hasa {
namespace {

torch::Tensor encode(const Encoder& encoder, const PackedInputs& inputs, Pooling pooling, const char* title) {
  Progress progress(title, inputs.size(), "texts");
  EncodeAllOptions options;
  options.pooling = pooling;
  options.progress = [&](std::int64_t texts) { progress.advance(static_cast<std::uint64_t>(texts)); };
  return unit_rows(encode_all(encoder, TokenRows{inputs.ids, inputs.offsets}, options));
}

std::string describe(const Graph& graph, const TextConfig& text, const LanguageModelConfig& model,
                     const torch::Device& device) {
  const MappedFile weights(find_language_model(model.path) / "model.safetensors");
  return fmt::format("graph {:016x}, weights {:016x}, text \"{}\" in {} tokens, pool {}, {}", graph.content_hash(),
                     hash_bytes(weights.bytes().data(), weights.bytes().size()), text.entity, text.max_tokens,
                     to_string(model.pool), c10::toString(dtype_for(model.precision, device)));
}

TextEmbeddings compute(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& text,
                       const LanguageModelConfig& model, const torch::Device& device) {
  const std::filesystem::path folder = find_language_model(model.path);
  const WordPiece tokenizer = WordPiece::load(folder);
  const TextInputs inputs(tokenizer, GraphTokens::cached(graph, tokenizer, graph_folder), text);
  const Encoder encoder = Encoder::load(folder, {dtype_for(model.precision, device), device});
  HASA_CHECK(text.max_tokens <= encoder.config().longest_text(), config,
             "text.max_tokens is {}, but {} reads at most {}", text.max_tokens, folder.filename().string(),
             encoder.config().longest_text());
  return {encode(encoder, inputs.all_entities(), model.pool, "reading entities"),
          encode(encoder, inputs.all_relations(), model.pool, "reading relations"), ""};
}

}  // namespace

TextEmbeddings embed_texts(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& text,
                           const LanguageModelConfig& model, const torch::Device& device) {
  const std::string made_from = describe(graph, text, model, device);
  const auto file = graph_folder / fmt::format("texts-{:016x}.safetensors", hash_bytes(made_from.data(), made_from.size()));
  if (std::filesystem::exists(file)) {
    try {
      return TextEmbeddings::load(file);
    } catch (const Error& error) {
      log_debug("{}; the texts are read anew", error.what());
    }
  }
  TextEmbeddings embeddings = compute(graph, graph_folder, text, model, device);
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
