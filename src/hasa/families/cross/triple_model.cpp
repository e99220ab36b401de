#include "hasa/families/cross/triple_model.h"

#include <utility>

#include "hasa/base/error.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

constexpr const char* kHead = "hasa";  // its prefix in model.safetensors

}  // namespace

TripleModel::TripleModel(TunedEncoder encoder, std::shared_ptr<const TripleHead> head)
    : encoder_(std::move(encoder)), head_(std::move(head)) {
  for (const NamedTensor& each : head_->parameters()) each.tensor.set_data(each.tensor.to(device()));
}

torch::Tensor TripleModel::logits(const PackedTokens& triples, bool training) const {
  const Encoder& encoder = encoder_.working();
  return head_->logits(encoder, encoder.forward(triples, training), triples, training);
}

Parameters TripleModel::parameters() const {
  Parameters list;
  append(list, "language_model", encoder_.parameters(), ParameterKind::language_model);
  append(list, "head", head_->parameters(), ParameterKind::new_layer);
  return list;
}

void TripleModel::save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const {
  NamedTensors head;
  append(head, kHead, head_->parameters());
  encoder_.weights().save(folder, head, about);
}

void TripleModel::load_head(const std::filesystem::path& folder) const {
  const std::string prefix = std::string(kHead) + ".";
  copy_into(head_->parameters(), load_weights(folder / "model.safetensors", prefix), prefix);
}

TextInputs triple_inputs(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& config,
                         const LanguageModel& language_model) {
  TextInputs inputs(language_model.tokenizer, GraphTokens::cached(graph, language_model.tokenizer, graph_folder),
                    config, graph);
  const auto longest = static_cast<std::int64_t>(inputs.longest_triple());
  const std::int64_t most = language_model.config.longest_text();
  HASA_CHECK(longest <= most, config,
             "text.max_tokens is {}, which makes triples of up to {} tokens, but {} reads at most {}\nset "
             "text.max_tokens to at most {}",
             config.max_tokens, longest, language_model.folder.filename().string(), most,
             config.max_tokens - (longest - most + 1) / 2);
  return inputs;
}

}  // namespace hasa
