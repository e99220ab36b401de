#include "hasa/nn/encoder_config.h"

#include <nlohmann/json.hpp>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

nlohmann::json bert() {
  return {
      {"model_type", "bert"},      {"hidden_size", 384},     {"num_hidden_layers", 6}, {"num_attention_heads", 12},
      {"intermediate_size", 1536}, {"vocab_size", 30522},    {"hidden_act", "gelu"},   {"max_position_embeddings", 512},
      {"type_vocab_size", 2},      {"layer_norm_eps", 1e-12}};
}
EncoderConfig parse(const nlohmann::json& json) { return parse_encoder_config(json.dump(), "config.json"); }

TEST(EncoderConfig, ReadsABertModel) {
  const EncoderConfig config = parse(bert());
  EXPECT_EQ(config.architecture, Architecture::bert);
  EXPECT_EQ(config.head_size(), 32);
  EXPECT_EQ(config.longest_text(), 512);
  EXPECT_EQ(config.segments, 2);
  EXPECT_EQ(config.relative_buckets, 0);
}

TEST(EncoderConfig, AnMPNetModelLosesTwoPositionsAndHasNoTokenTypes) {
  auto json = bert();
  json["model_type"] = "mpnet";
  json["max_position_embeddings"] = 514;
  const EncoderConfig config = parse(json);
  EXPECT_EQ(config.longest_text(), 512);
  EXPECT_EQ(config.segments, 0);
  EXPECT_EQ(config.relative_buckets, 32);
}

TEST(EncoderConfig, RefusesByNameWhatItDoesNotCompute) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    auto json = bert();
    json[key] = value;
    return json;
  };
  EXPECT_ERROR(parse(with("model_type", "roberta")),
               "config.json: the architecture \"roberta\" is not supported; bert and mpnet are");
  EXPECT_ERROR(parse(with("hidden_act", "silu")), "the activation \"silu\" is not supported");
  EXPECT_ERROR(parse(with("position_embedding_type", "relative_key")),
               "position_embedding_type \"relative_key\" is not supported");
}

TEST(EncoderConfig, RefusesValuesThatMakeNoModel) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    auto json = bert();
    json[key] = value;
    return json;
  };
  EXPECT_ERROR(parse(with("hidden_size", 0)), "\"hidden_size\" must be a whole number from 1 on");
  EXPECT_ERROR(parse(with("hidden_size", -5)), "\"hidden_size\"");
  EXPECT_ERROR(parse(with("hidden_size", 1e300)), "\"hidden_size\"");
  EXPECT_ERROR(parse(with("hidden_size", "384")), "\"hidden_size\"");
  EXPECT_ERROR(parse(with("num_attention_heads", 7)), "hidden_size 384 is no multiple of num_attention_heads 7");
  EXPECT_ERROR(parse(with("num_hidden_layers", 1000000)), "1000000 layers");
  EXPECT_ERROR(parse(with("layer_norm_eps", -1)), "\"layer_norm_eps\" must be a number from 0 to 1");
  EXPECT_ERROR(parse(with("model_type", nullptr)), "\"model_type\" is missing");
  auto json = bert();
  json.erase("vocab_size");
  EXPECT_ERROR(parse(json), "config.json: \"vocab_size\" is missing");
  EXPECT_ERROR(parse_encoder_config("[1]", "config.json"), "config.json: not a JSON object");
  EXPECT_ERROR(parse_encoder_config("{", "config.json"), "not a JSON object");
}

TEST(EncoderConfig, AMissingFileIsAnErrorThatNamesIt) {
  EXPECT_ERROR(read_encoder_config("/nonexistent/config.json"), "/nonexistent/config.json");
}

}  // namespace
}  // namespace hasa
