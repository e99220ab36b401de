#pragma once

#include <cstdint>

#include "hasa/base/config.h"
#include "hasa/model/language_model_config.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/schedule_config.h"

// Options of families whose language model reads a triple as one text.

namespace hasa {

/// What a training triple is told from.
struct CorruptionConfig {
  std::int64_t entities = 5;
  std::int64_t relations = 0;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("entities", &CorruptionConfig::entities,
          "false triples made of each training triple, head or tail replaced by an entity drawn at random; none is a "
          "known training triple",
          Range{0, 1024});
    field("relations", &CorruptionConfig::relations, "false triples made of each by replacing its relation likewise",
          Range{0, 1024});
  }
};

/// Of a language model whose text is a triple and that learns to tell true from false by its first token.
struct ClassifierLanguageModelConfig : TunedLanguageModelConfig {
  ClassifierLanguageModelConfig() { pool = Pooling::cls; }
};

/// Of a language model that no pooling stands on.
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
          "most tokens the language model reads at a time in a step; a step with more is read in micro-batches, which "
          "takes less memory and gives the same gradient but for dropout's draws; 0 reads all at once",
          Range{0, 1e12});
  }
};

}  // namespace hasa
