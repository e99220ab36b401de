#pragma once

#include <torch/types.h>

#include <vector>

#include "hasa/nn/encoder_config.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/nn/safetensors.h"

namespace hasa {

struct EncoderLayer {
  torch::Tensor qkv_weight, qkv_bias;                        // [3 hidden, hidden], [3 hidden]: query, key, value
  torch::Tensor out_weight, out_bias;                        // [hidden, hidden]
  torch::Tensor attention_norm_weight, attention_norm_bias;  // [hidden]
  torch::Tensor up_weight, up_bias;                          // [intermediate, hidden]
  torch::Tensor down_weight, down_bias;                      // [hidden, intermediate]
  torch::Tensor output_norm_weight, output_norm_bias;        // [hidden]

  std::vector<torch::Tensor> tensors() const {
    return {qkv_weight, qkv_bias, out_weight,  out_bias,  attention_norm_weight, attention_norm_bias,
            up_weight,  up_bias,  down_weight, down_bias, output_norm_weight,    output_norm_bias};
  }
};

struct EncoderWeights {
  torch::Tensor words;      // [vocabulary, hidden]
  torch::Tensor positions;  // [positions, hidden]
  torch::Tensor segments;   // [segments, hidden]; undefined for MPNet
  torch::Tensor norm_weight, norm_bias;
  torch::Tensor relative_bias;  // [buckets, heads]; MPNet alone, shared by its layers
  std::vector<EncoderLayer> layers;
  torch::Tensor pooler_weight, pooler_bias;  // [hidden, hidden]; undefined when the file has no pooler
};

/// Reads an encoder's weights under transformers' names, with any prefix ("bert.",
/// "mpnet." or none) and also with the older LayerNorm.gamma and .beta. Elements may be F32, F16, BF16 or F64.
/// A missing tensor and a shape that differs from the config's are errors that name the tensor; tensors of
/// other heads are left out.
EncoderWeights load_encoder_weights(const SafeTensors& file, const EncoderConfig& config, torch::Dtype dtype,
                                    torch::Device device);

/// A copy, converted to another dtype.
EncoderWeights copy_weights(const EncoderWeights& weights, const EncoderConfig& config, torch::Dtype dtype);

/// The tensors as stored, each once, under our own names.
NamedTensors own_tensors(const EncoderWeights& weights, const EncoderConfig& config);
/// The same values as transformers names them; query, key and value are views.
NamedTensors hugging_face_tensors(const EncoderWeights& weights, const EncoderConfig& config);

}  // namespace hasa
