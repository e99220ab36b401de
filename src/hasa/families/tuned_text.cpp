#include "hasa/families/tuned_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/memory.h"
#include "hasa/families/memory_plan.h"
#include "hasa/model/language_model.h"
#include "hasa/ops/core/device.h"

namespace hasa {

void check_precision(const LanguageModelConfig& language_model, const torch::Device& device) {
  HASA_CHECK(!device.is_cpu() || language_model.precision != Precision::bf16, config,
             "language_model.precision is bf16, but on a CPU a language model is fine-tuned in fp32\nset it to auto or "
             "fp32, or train on a GPU with device=cuda");
}

void check_shared_dropout(const TuningConfig& tuning, const LanguageModelConfig& language_model, const Comm& comm) {
  HASA_CHECK(comm.alone() || (tuning.attention_dropout == 0 && language_model.fused), config,
             "model.attention_dropout and language_model.fused=false draw their dropout in an order that several "
             "processes do not share\nset model.attention_dropout=0 and language_model.fused=true, or start one "
             "process");
}

std::int64_t chunk_tokens_within(const TunedMemory& memory, std::int64_t chunk_tokens, const TextInputs& inputs,
                                 const EncoderConfig& encoder, const torch::Device& device) {
  if (memory.limit.empty() || !device.is_cuda()) return chunk_tokens;
  const std::int64_t bytes = parse_bytes(memory.limit, "memory_limit");
  cap_device_bytes(device, bytes);
  const std::int64_t tuned = memory.tuning.tuned_layers;
  const std::int64_t tokens =
      tokens_within(bytes,
                    {.encoder = encoder,
                     .trained_layers = tuned < 0 ? encoder.layers : std::min(tuned, encoder.layers),
                     .element_bytes = memory.precision == Precision::fp32 ? 4 : 2,
                     .encoders = memory.encoders},
                    inputs);
  return chunk_tokens == 0 ? tokens : std::min(chunk_tokens, tokens);
}

void copy_vocabulary(const std::string& language_model, const Run& run) {
  const LanguageModel from = LanguageModel::open(language_model);
  run.put(Run::kBestFolder, [&](const std::filesystem::path& folder) {
    for (const char* name : {"vocab.txt", "tokenizer_config.json", "special_tokens_map.json", "tokenizer.json"}) {
      const std::filesystem::path file = from.folder / name;
      if (std::filesystem::exists(file)) write_file(folder / name, read_file(file));
    }
  });
}

std::string tuned_words(const TuningConfig& tuning) {
  if (tuning.tuned_layers < 0) return "fine-tuned";
  return tuning.tuned_layers == 0 ? "frozen" : fmt::format("last {} layers fine-tuned", tuning.tuned_layers);
}

}  // namespace hasa
