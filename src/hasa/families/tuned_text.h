#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hasa/input/text_inputs.h"
#include "hasa/model/language_model_config.h"
#include "hasa/model/tuned_encoder.h"
#include "hasa/nn/encoder_config.h"
#include "hasa/run/run.h"
#include "hasa/train/schedule_config.h"

// What families that train a language model do alike.

namespace hasa {

/// A step of a language model can be read in portions.
struct TextScheduleConfig : ScheduleConfig {
  std::int64_t chunk_tokens = 0;

  template <class Visitor>
  static void fields(Visitor& field) {
    ScheduleConfig::fields(field);
    field("chunk_tokens", &TextScheduleConfig::chunk_tokens,
          "maximum number of tokens per micro-batch; a step with more is split, and each text is encoded twice: less "
          "memory, and the same gradient except for dropout's masks; 0: never split",
          Range{0, 1e12});
  }
};

/// What the option memory_limit means.
constexpr const char* kMemoryLimitDoc =
    "limit on GPU memory, such as 16G; larger steps are split into micro-batches, as by train.chunk_tokens; empty: no "
    "limit";

/// Throws config where a CPU is asked to train in bf16.
void check_precision(const LanguageModelConfig& language_model, const torch::Device& device);

/// Who asks chunk_tokens_within.
struct TunedMemory {
  std::string limit;  // memory_limit as it was set
  TuningConfig tuning;
  Precision precision = Precision::automatic;
  std::int64_t encoders = 1;
};
/// train.chunk_tokens, or less where steps would not fit the memory they may take. Caps the device's memory too.
std::int64_t chunk_tokens_within(const TunedMemory& memory, std::int64_t chunk_tokens, const TextInputs& inputs,
                                 const EncoderConfig& encoder, const torch::Device& device);

/// Copies the vocabulary of a language model, so that the folder of a run's best model can be opened by itself.
void copy_vocabulary(const std::string& language_model, const Run& run);

/// "trained whole", "frozen", "last 2 layers trained"
std::string tuned_words(const TuningConfig& tuning);

}  // namespace hasa
