#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hasa/dist/comm.h"
#include "hasa/input/text_inputs.h"
#include "hasa/model/language_model_config.h"
#include "hasa/model/tuned_encoder.h"
#include "hasa/nn/encoder_config.h"
#include "hasa/run/run.h"
#include "hasa/train/schedule_config.h"

// Code shared by families that fine-tune a language model.

namespace hasa {

/// A step of a language model can be split into micro-batches.
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

/// The description of the option memory_limit.
constexpr const char* kMemoryLimitDoc =
    "limit on GPU memory, such as 16G; larger steps are split into micro-batches, as by train.chunk_tokens; empty: no "
    "limit";

/// Throws config for training in bf16 on a CPU.
void check_precision(const LanguageModelConfig& language_model, const torch::Device& device);

/// Throws config for dropout that several processes would draw in another order than one.
void check_shared_dropout(const TuningConfig& tuning, const LanguageModelConfig& language_model, const Comm& comm);

/// The arguments of chunk_tokens_within.
struct TunedMemory {
  std::string limit;  // memory_limit as it was set
  TuningConfig tuning;
  Precision precision = Precision::automatic;
  std::int64_t encoders = 1;
};
/// train.chunk_tokens, or less if steps would not fit the memory limit. Also caps the device's memory.
std::int64_t chunk_tokens_within(const TunedMemory& memory, std::int64_t chunk_tokens, const TextInputs& inputs,
                                 const EncoderConfig& encoder, const torch::Device& device);

/// Copies the vocabulary of a language model, so that the best model's folder is self-contained.
void copy_vocabulary(const std::string& language_model, const Run& run);

/// "fine-tuned", "frozen", "last 2 layers fine-tuned"
std::string tuned_words(const TuningConfig& tuning);

}  // namespace hasa
