#pragma once

#include <string>
#include <variant>

#include "hasa/base/config.h"
#include "hasa/input/text_config.h"
#include "hasa/model/hasa_model.h"
#include "hasa/model/kbgan_model.h"
#include "hasa/model/language_model_config.h"
#include "hasa/model/table_model.h"
#include "hasa/model/text_model.h"

namespace hasa {

/// The part of a run's options that answering questions needs. Training adds its own (train/train_config.h).
struct RunSetup {
  std::string graph;
  std::string device = "auto";
  TextConfig text;
  LanguageModelConfig language_model;
  std::variant<HasaConfig, TextModelConfig, TransEConfig, DistMultConfig, ComplExConfig, RotatEConfig, KbganConfig>
      model;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("graph", &RunSetup::graph, "folder written by hasa import");
    field("device", &RunSetup::device, "auto (a GPU where there is one), cpu, cuda or cuda:N");
    field("text", &RunSetup::text, "how entities are put into words");
    field("language_model", &RunSetup::language_model, "the language model that reads the texts");
    field(
        "model", &RunSetup::model,
        "what is trained: new layers over a language model that stays as it is (frozen, which suits a CPU), the "
        "language model itself (text, which wants a GPU), or, without any text, a vector for each entity and relation "
        "(transe, distmult, complex, rotate, and kbgan, where one such model finds another's negatives)");
  }

  bool reads_text() const {
    return std::holds_alternative<HasaConfig>(model) || std::holds_alternative<TextModelConfig>(model);
  }
};

}  // namespace hasa
