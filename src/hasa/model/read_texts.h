#pragma once

#include <torch/types.h>

#include <filesystem>

#include "hasa/dist/comm.h"
#include "hasa/input/text_inputs.h"
#include "hasa/kg/graph.h"
#include "hasa/model/language_model.h"
#include "hasa/nn/encode_all.h"
#include "hasa/nn/frozen_encoder.h"
#include "hasa/nn/packed_tokens.h"
#include "hasa/nn/pooling.h"

namespace hasa {

/// A graph's texts tokenised for that language model, or loaded from the graph's folder if
/// an earlier call stored them. Throws config if texts could exceed the model's maximum length.
TextInputs text_inputs(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& config,
                       const LanguageModel& language_model);

/// The inputs as an encoder's rows, whose memory they share.
TokenRows rows_of(const PackedInputs& inputs);

/// One vector for each text, [texts, hidden] float32, without gradients. `title`: of a progress bar; null: none. Of
/// several processes each reads its share. soft_rows: for inputs with soft tokens.
torch::Tensor read_texts(const FrozenEncoder& encoder, Pooling pooling, const PackedInputs& inputs, const char* title,
                         Comm& comm = one_process(), const SoftRows& soft_rows = nullptr);

}  // namespace hasa
