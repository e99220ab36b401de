#include "hasa/model/read_texts.h"

#include <optional>

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/model/encode_together.h"

namespace hasa {

TextInputs text_inputs(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& config,
                       const LanguageModel& language_model) {
  TextInputs inputs(language_model.tokenizer, GraphTokens::cached(graph, language_model.tokenizer, graph_folder),
                    config, graph);
  const auto longest = static_cast<std::int64_t>(inputs.longest_text());
  const std::int64_t most = language_model.config.longest_text();
  HASA_CHECK(longest <= most, config,
             "text.max_tokens is {}, which with a relation{} allows texts of up to {} tokens, but {} reads at most "
             "{}\nset text.max_tokens to at most {}",
             config.max_tokens, config.soft_neighbours > 0 ? " and soft neighbours" : "", longest,
             language_model.folder.filename().string(), most, config.max_tokens - (longest - most));
  return inputs;
}

TokenRows rows_of(const PackedInputs& inputs) {
  return {inputs.ids, inputs.offsets, inputs.segments, inputs.spans, inputs.soft};
}

torch::Tensor read_texts(const FrozenEncoder& encoder, Pooling pooling, const PackedInputs& inputs, const char* title,
                         Comm& comm, const SoftRows& soft_rows) {
  std::optional<Progress> progress;
  if (title != nullptr)
    progress.emplace(title, static_cast<std::uint64_t>(comm.share_of(static_cast<std::int64_t>(inputs.size())).count),
                     "texts");
  EncodeAllOptions options;
  options.pooling = pooling;
  options.soft_rows = soft_rows;
  if (progress) options.progress = [&](std::int64_t n) { progress->advance(static_cast<std::uint64_t>(n)); };
  return encode_together(encoder, rows_of(inputs), options, comm);
}

}  // namespace hasa
