#include "hasa/nn/encoder.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/nn/frozen_encoder.h"
#include "hasa/nn/pooling.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

using torch::Tensor;
namespace fs = std::filesystem;

const fs::path kRecorded = fs::path(HASA_SOURCE_DIR) / "tests/recorded/encoder";
const fs::path kMPNet = kRecorded / "mpnet";

/// What transformers computed (tools/record_encoder.py): texts, and the first columns of their states.
struct Recorded {
  PackedTokens tokens;
  Tensor hidden;  // [tokens, columns]
  Tensor pooler;  // [texts, columns]

  explicit Recorded(const std::string& name) {
    const TensorFile file = load_tensors(kRecorded / (name + ".safetensors"));
    tokens.ids = file.at("ids");
    tokens.offsets = file.at("offsets").to(torch::kInt32);
    tokens.longest = file.at("offsets").diff().max().item<std::int64_t>();
    hidden = file.at("hidden");
    pooler = file.at("pooler");
  }
};

double difference(const Tensor& a, const Tensor& b) {
  return (a.cpu().to(torch::kFloat64) - b.cpu().to(torch::kFloat64)).abs().max().item<double>();
}
Tensor columns_of(const Tensor& x, const Tensor& like) { return x.slice(1, 0, like.size(1)); }

void expect_recorded_states(const fs::path& folder, const std::string& name) {
  const Recorded recorded(name);
  const Encoder encoder = Encoder::load(folder);
  const Tensor hidden = encoder.forward(recorded.tokens);
  EXPECT_LT(difference(columns_of(hidden, recorded.hidden), recorded.hidden), 1e-4);
  const Tensor pooled = pool(encoder, hidden, recorded.tokens, Pooling::pooler);
  EXPECT_LT(difference(columns_of(pooled, recorded.pooler), recorded.pooler), 1e-4);
  const FrozenEncoder frozen(encoder);
  EXPECT_LT(difference(columns_of(frozen.forward(recorded.tokens), recorded.hidden), recorded.hidden), 1e-4);
}

TEST(Encoder, GivesTheHiddenStatesOfTransformersForMPNet) { expect_recorded_states(kMPNet, "mpnet"); }

TEST(Encoder, GivesTheHiddenStatesOfTransformersForMiniLM) {
  HASA_NEEDS_FOLDER(folder, "HASA_MINILM");
  expect_recorded_states(folder, "minilm");
}

TEST(Encoder, GivesTheHiddenStatesOfTransformersForBertBase) {
  HASA_NEEDS_FOLDER(folder, "HASA_BERT");
  expect_recorded_states(folder, "bert_base");
}

TEST(Encoder, GivesTheExpectedPooledValuesOfBertBase) {
  HASA_NEEDS_FOLDER(folder, "HASA_BERT");
  const FrozenEncoder encoder(Encoder::load(folder));
  for (const auto& each : nlohmann::json::parse(read_file(folder / "expected.json"))) {
    const PackedTokens tokens = pack_texts({each["ids"].get<std::vector<std::int32_t>>()});
    for (const Pooling pooling : {Pooling::mean, Pooling::cls, Pooling::pooler}) {
      const Tensor expected = torch::tensor(each[to_string(pooling)].get<std::vector<float>>()).unsqueeze(0);
      EXPECT_LT(difference(columns_of(encoder.encode(tokens, pooling), expected), expected), 1e-4)
          << to_string(pooling) << " of " << each["text"];
    }
  }
}

TEST(Encoder, ABatchOfMixedLengthsGivesWhatEachTextGivesAlone) {
  const Recorded recorded("mpnet");
  const Encoder encoder = Encoder::load(kMPNet);
  const FrozenEncoder frozen(encoder);
  const Tensor together = encoder.forward(recorded.tokens), frozen_together = frozen.forward(recorded.tokens);
  for (std::int64_t text = 0; text < recorded.tokens.texts(); ++text) {
    const auto begin = recorded.tokens.offsets[text].item<std::int64_t>(),
               end = recorded.tokens.offsets[text + 1].item<std::int64_t>();
    const PackedTokens alone{recorded.tokens.ids.slice(0, begin, end),
                             torch::tensor({0, static_cast<int>(end - begin)}, torch::kInt32),
                             {},
                             end - begin};
    // Products of other sizes may sum in another order.
    EXPECT_LT(difference(encoder.forward(alone), together.slice(0, begin, end)), 1e-5);
    EXPECT_LT(difference(frozen.forward(alone), frozen_together.slice(0, begin, end)), 1e-5);
  }
}

/// The MPNet folder with its tensors passed through `change`.
template <class Change>
void copy_folder(const fs::path& to, const Change& change) {
  fs::copy_file(kMPNet / "config.json", to / "config.json");
  NamedTensors tensors;
  for (const auto& [name, tensor] : load_tensors(kMPNet / "model.safetensors").tensors) {
    NamedTensor changed{name, tensor};
    if (change(changed)) tensors.push_back(changed);
  }
  save_tensors(to / "model.safetensors", tensors, {});
}

TEST(Encoder, LoadsHalfTypesPrefixesAndOlderNormNames) {
  const Recorded recorded("mpnet");
  for (const torch::Dtype dtype : {torch::kHalf, torch::kBFloat16, torch::kFloat64}) {
    const testing::TempDir folder;
    copy_folder(folder.path(), [&](NamedTensor& each) {
      each.tensor = each.tensor.to(dtype);
      if (each.name.find("LayerNorm") != std::string::npos) {
        each.name = each.name.substr(0, each.name.rfind('.')) + (each.name.ends_with("weight") ? ".gamma" : ".beta");
      }
      each.name = "mpnet." + each.name;
      return true;
    });
    const Encoder encoder = Encoder::load(folder.path());
    EXPECT_EQ(encoder.dtype(), torch::kFloat32);
    const Encoder rounded = Encoder::load(kMPNet);
    for (const NamedTensor& each : rounded.parameters()) each.tensor.copy_(each.tensor.to(dtype));
    EXPECT_TRUE(encoder.forward(recorded.tokens).equal(rounded.forward(recorded.tokens)));
  }
}

TEST(Encoder, NamesMissingTensorsAndWrongShapes) {
  {
    const testing::TempDir folder;
    copy_folder(folder.path(),
                [](NamedTensor& each) { return each.name.find("layer.1.output.dense") == std::string::npos; });
    EXPECT_ERROR(Encoder::load(folder.path()),
                 "2 tensors are missing: encoder.layer.1.output.dense.weight, encoder.layer.1.output.dense.bias");
  }
  {
    const testing::TempDir folder;
    copy_folder(folder.path(), [](NamedTensor& each) {
      if (each.name == "encoder.layer.0.attention.attn.q.weight") each.tensor = torch::zeros({32, 31});
      return true;
    });
    EXPECT_ERROR(Encoder::load(folder.path()),
                 "tensor encoder.layer.0.attention.attn.q.weight is [32, 31], but config.json asks for [32, 32]");
  }
  {
    const testing::TempDir folder;
    copy_folder(folder.path(), [](NamedTensor& each) { return each.name == "pooler.dense.bias"; });
    EXPECT_ERROR(Encoder::load(folder.path()), "this is not a BERT or MPNet encoder");
  }
  {
    const testing::TempDir folder;
    copy_folder(folder.path(), [](NamedTensor& each) {
      if (each.name == "pooler.dense.bias") each.tensor = each.tensor.to(torch::kInt64);
      return true;
    });
    EXPECT_ERROR(Encoder::load(folder.path()), "tensor pooler.dense.bias holds I64, not floating point");
  }
}

TEST(Encoder, SaysWhatAFolderLacks) {
  const testing::TempDir folder;
  EXPECT_ERROR(Encoder::load(folder / "none"), "none: no such model folder");
  EXPECT_ERROR(Encoder::load(folder.path()), "config.json");
  fs::copy_file(kMPNet / "config.json", folder / "config.json");
  EXPECT_ERROR(Encoder::load(folder.path()), "model.safetensors");
  std::ofstream(folder / "pytorch_model.bin") << "x";
  EXPECT_ERROR(Encoder::load(folder.path()), "has pytorch_model.bin but no model.safetensors");
}

TEST(Encoder, RefusesTextsTooLongAndIdsOutsideTheVocabulary) {
  const Encoder encoder = Encoder::load(kMPNet);
  EXPECT_ERROR(encoder.forward(pack_texts({std::vector<std::int32_t>(201, 5)})),
               "a text has 201 tokens, the model takes 200");
  EXPECT_ERROR(encoder.forward(pack_texts({{0, 90}})), "token id 90 is outside the model's vocabulary of 90");
  EXPECT_ERROR(FrozenEncoder(encoder).forward(pack_texts({{0, -1}})), "token id -1 is outside");
}

TEST(Encoder, WhatItSavesLoadsAgainToTheSameBits) {
  const testing::TempDir folder;
  const Recorded recorded("mpnet");
  const Encoder encoder = Encoder::load(kMPNet, {torch::kBFloat16});
  encoder.save(folder.path());
  const Encoder again = Encoder::load(folder.path(), {torch::kBFloat16});
  EXPECT_TRUE(again.forward(recorded.tokens).equal(encoder.forward(recorded.tokens)));
  EXPECT_EQ(nlohmann::json::parse(read_file(folder / "config.json"))["torch_dtype"], "bfloat16");
  const auto names = [](const fs::path& file) {
    std::vector<std::string> result;
    for (const auto& [name, tensor] : load_tensors(file).tensors) result.push_back(name);
    return result;
  };
  EXPECT_EQ(names(folder / "model.safetensors"), names(kMPNet / "model.safetensors"));
}

TEST(Encoder, GradientsReachEveryParameterAndMatchFiniteDifferences) {
  const PackedTokens tokens = pack_texts({{0, 5, 9, 31}, {0, 7}, {0, 8, 8, 60, 61, 62, 63}});
  Encoder encoder = Encoder::load(kMPNet);
  encoder.set_requires_grad(true);
  const auto loss = [&] {
    const Tensor pooled = pool(encoder, encoder.forward(tokens), tokens, Pooling::pooler);
    const Tensor mean = pool(encoder, encoder.forward(tokens), tokens, Pooling::mean);
    return (pooled * mean.cos()).sum();
  };
  std::vector<Tensor> parameters;
  for (const NamedTensor& each : encoder.parameters()) parameters.push_back(each.tensor);
  const auto gradients = torch::autograd::grad({loss()}, parameters);
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // Along the gradient itself the slope is its length squared: a direction that float32 can resolve.
    const double length = gradients[i].norm().item<double>();
    ASSERT_GT(length, 0) << encoder.parameters()[i].name;
    const Tensor step = gradients[i] / length * 2e-3;
    parameters[i].add_(step);
    const double above = loss().item<double>();
    parameters[i].sub_(step * 2);
    const double below = loss().item<double>();
    parameters[i].add_(step);
    EXPECT_NEAR((above - below) / 4e-3, length, 0.03 * length + 2e-3) << encoder.parameters()[i].name;
  }
}

TEST(Encoder, DropoutActsOnlyWhileTraining) {
  const Recorded recorded("mpnet");
  Encoder encoder = Encoder::load(kMPNet);
  const Tensor still = encoder.forward(recorded.tokens);
  EXPECT_TRUE(still.equal(encoder.forward(recorded.tokens)));
  EXPECT_GT(difference(still, encoder.forward(recorded.tokens, /*train=*/true)), 0.01);
  encoder.set_dropout(0, 0);
  EXPECT_LT(difference(still, encoder.forward(recorded.tokens, /*train=*/true)), 1e-5);
}

TEST(Encoder, TokenTypesAreAddedWhereGiven) {
  HASA_NEEDS_FOLDER(folder, "HASA_MINILM");
  const Encoder encoder = Encoder::load(folder);
  const FrozenEncoder frozen(encoder);
  PackedTokens tokens = pack_texts({{101, 3899, 102, 4937, 102}});
  const Tensor plain = encoder.forward(tokens);
  tokens.segments = torch::tensor({0, 0, 0, 1, 1}, torch::kInt32);
  const Tensor typed = encoder.forward(tokens);
  EXPECT_GT(difference(plain, typed), 1e-3);
  EXPECT_LT(difference(frozen.forward(tokens), typed), 1e-4);
  tokens.segments = torch::zeros({5}, torch::kInt32);
  EXPECT_LT(difference(plain, encoder.forward(tokens)), 1e-5);
}

TEST(Encoder, IsTheSameFromLibTorchsOperations) {
  HASA_NEEDS_FOLDER(minilm, "HASA_MINILM");
  for (const auto& folder : {kMPNet, std::filesystem::path(minilm)}) {
    Encoder encoder = Encoder::load(folder);
    PackedTokens tokens = pack_texts({{2, 9, 31, 17, 3}, {2, 3}});
    for (const bool typed : {false, true}) {
      if (typed && !encoder.weights().segments.defined()) continue;
      if (typed) tokens.segments = torch::tensor({0, 0, 1, 1, 1, 0, 0}, torch::kInt32);
      encoder.set_fused(true);
      const Tensor fused = encoder.forward(tokens);
      encoder.set_fused(false);
      EXPECT_LT(difference(fused, encoder.forward(tokens)), 1e-5);
    }
  }
}

TEST(Encoder, NoTextsGiveNoStates) {
  const Encoder encoder = Encoder::load(kMPNet);
  const PackedTokens none = pack_texts(std::vector<std::vector<std::int32_t>>{});
  EXPECT_EQ(FrozenEncoder(encoder).forward(none).sizes(), (std::vector<std::int64_t>{0, 32}));
}

TEST(EncoderGpu, MatchesTheCpuInFloat32AndNearlyInBFloat16) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no GPU";
  HASA_NEEDS_FOLDER(minilm, "HASA_MINILM");
  for (const auto& [folder, name] : {std::pair{kMPNet, "mpnet"}, std::pair{minilm, "minilm"}}) {
    const Recorded recorded(name);
    const PackedTokens tokens = recorded.tokens.to(torch::kCUDA);
    const Tensor exact = Encoder::load(folder, {torch::kFloat32, torch::kCUDA}).forward(tokens);
    EXPECT_LT(difference(columns_of(exact, recorded.hidden), recorded.hidden), 1e-4);
    const Tensor rounded = Encoder::load(folder, {torch::kBFloat16, torch::kCUDA}).forward(tokens).to(torch::kFloat32);
    EXPECT_GT(torch::cosine_similarity(rounded, exact).min().item<double>(), 0.99);
  }
}

}  // namespace
}  // namespace hasa
