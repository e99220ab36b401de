#pragma once

#include <cstdint>

#include "hasa/base/config.h"
#include "hasa/model/language_model_config.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/schedule_config.h"

// Options of families whose language model reads a triple as one text.

namespace hasa {

/// The corruptions of a training triple.
struct CorruptionConfig {
  std::int64_t entities = 5;
  std::int64_t relations = 0;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("entities", &CorruptionConfig::entities,
          "corrupted triples per training triple, with head or tail replaced by a random entity; never a known "
          "training triple",
          Range{0, 1024});
    field("relations", &CorruptionConfig::relations, "corrupted triples per training triple with its relation replaced",
          Range{0, 1024});
  }
};

/// For a language model that reads a triple as one text and classifies it by its first token.
struct ClassifierLanguageModelConfig : TunedLanguageModelConfig {
  ClassifierLanguageModelConfig() { pool = Pooling::cls; }
};

/// For families that use token vectors without pooling.
struct UnpooledLanguageModelConfig : TunedLanguageModelConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    LanguageModelConfig::unpooled_fields(field);
    TunedLanguageModelConfig::own_fields(field);
  }
};

struct CrossOptimiserConfig : OptimiserConfig {
  CrossOptimiserConfig() { lr = 1e-4; }

  template <class Visitor>
  static void fields(Visitor& field) {
    OptimiserConfig::fields(field);
    field("language_model_lr", &OptimiserConfig::language_model_lr, "learning rate of the language model",
          Range{0, 10});
  }
};

struct CrossScheduleConfig : ScheduleConfig {
  std::int64_t chunk_tokens = 0;

  CrossScheduleConfig() {
    epochs = 5;
    batch = 32;
    validate_queries = 100;
  }

  template <class Visitor>
  static void fields(Visitor& field) {
    ScheduleConfig::fields(field);
    field("chunk_tokens", &CrossScheduleConfig::chunk_tokens,
          "maximum number of tokens per micro-batch; a step with more is split: less memory, and the same gradient "
          "except for dropout's masks; 0: never split",
          Range{0, 1e12});
  }
};

}  // namespace hasa
