#pragma once

#include <torch/types.h>

#include <filesystem>

#include "hasa/input/text_inputs.h"
#include "hasa/kg/graph.h"
#include "hasa/model/language_model.h"
#include "hasa/nn/frozen_encoder.h"
#include "hasa/nn/pooling.h"

namespace hasa {

/// A graph's texts tokenised for that language model, or loaded from the graph's folder if
/// an earlier call stored them. Throws config if texts could exceed the model's maximum length.
TextInputs text_inputs(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& config,
                       const LanguageModel& language_model);

/// One vector for each text, [texts, hidden] float32, without gradients. `title`: of a progress bar; null: none.
torch::Tensor read_texts(const FrozenEncoder& encoder, Pooling pooling, const PackedInputs& inputs, const char* title);

}  // namespace hasa
