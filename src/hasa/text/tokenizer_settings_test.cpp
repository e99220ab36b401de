#include "hasa/text/tokenizer_settings.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

class TokenizerSettingsFolder : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) { write_file(folder_ / name, text); }
  TokenizerSettings load() const { return TokenizerSettings::load(folder_.path()); }

  testing::TempDir folder_;
};

TEST_F(TokenizerSettingsFolder, WithoutFilesIsUncasedBert) {
  const TokenizerSettings settings = load();
  EXPECT_TRUE(settings.lower_case && settings.strip_accents && settings.split_cjk);
  EXPECT_EQ(settings.cls, "[CLS]");
  EXPECT_EQ(settings.pair_separators, 1u);
}

TEST_F(TokenizerSettingsFolder, OfACasedModelKeepsAccentsUnlessItSaysOtherwise) {
  write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": null})");
  EXPECT_FALSE(load().lower_case);
  EXPECT_FALSE(load().strip_accents);
  write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": true, "tokenize_chinese_chars": false})");
  EXPECT_TRUE(load().strip_accents);
  EXPECT_FALSE(load().split_cjk);
}

TEST_F(TokenizerSettingsFolder, TakesTheNormalizerOfTokenizerJsonWhenTheConfigIsSilent) {
  write("tokenizer.json",
        R"({"normalizer": {"type": "BertNormalizer", "lowercase": false, "handle_chinese_chars": false},
                              "model": {"type": "WordPiece", "unk_token": "[X]", "vocab": {"a": 0}}})");
  EXPECT_FALSE(load().lower_case);
  EXPECT_FALSE(load().split_cjk);
  EXPECT_EQ(load().unk, "[X]");
  write("tokenizer_config.json", R"({"do_lower_case": true})");
  EXPECT_TRUE(load().lower_case);
}

TEST_F(TokenizerSettingsFolder, ReadsSpecialTokensAsTextOrAsObjects) {
  write("special_tokens_map.json", R"({"cls_token": "<c>", "sep_token": {"content": "<e>", "lstrip": false}})");
  EXPECT_EQ(load().cls, "<c>");
  EXPECT_EQ(load().sep, "<e>");
}

TEST_F(TokenizerSettingsFolder, KnowsMpnetByItsModelTypeOrItsTokenizerClass) {
  write("config.json", R"({"model_type": "mpnet"})");
  EXPECT_EQ(load().cls, "<s>");
  EXPECT_EQ(load().unk, "[UNK]");
  EXPECT_EQ(load().pair_separators, 2u);
  write("config.json", R"({"model_type": "bert"})");
  EXPECT_EQ(load().cls, "[CLS]");
  write("tokenizer_config.json", R"({"tokenizer_class": "MPNetTokenizerFast"})");
  EXPECT_EQ(load().mask, "<mask>");
}

TEST_F(TokenizerSettingsFolder, RefusesOtherTokenizersByName) {
  write("tokenizer_config.json", R"({"tokenizer_class": "XLMRobertaTokenizer"})");
  EXPECT_ERROR(load(), "tokenizer_class XLMRobertaTokenizer is not supported");
}

TEST_F(TokenizerSettingsFolder, RefusesModelsThatAreNotWordPiece) {
  write("tokenizer.json", R"({"model": {"type": "BPE"}})");
  EXPECT_ERROR(load(), "the model's type is BPE; only WordPiece is supported");
  write("tokenizer.json", R"({"model": {"type": "WordPiece", "max_input_chars_per_word": 50}})");
  EXPECT_ERROR(load(), "max_input_chars_per_word is 50");
  write("tokenizer.json", R"({"normalizer": {"type": "NFKC"}})");
  EXPECT_ERROR(load(), "the normalizer's type is NFKC");
}

TEST_F(TokenizerSettingsFolder, NamesTheFileWhoseJsonIsBroken) {
  write("tokenizer_config.json", "{");
  EXPECT_ERROR(load(), "tokenizer_config.json: not valid JSON");
  write("tokenizer_config.json", "[]");
  EXPECT_ERROR(load(), "tokenizer_config.json: expected a JSON object, found array");
}

TEST_F(TokenizerSettingsFolder, NamesTheValueOfTheWrongType) {
  write("tokenizer_config.json", R"({"do_lower_case": "yes"})");
  EXPECT_ERROR(load(), "do_lower_case should be true or false, not string");
  write("tokenizer_config.json", R"({"cls_token": 7})");
  EXPECT_ERROR(load(), "cls_token should be a string, not number");
  write("tokenizer_config.json", R"({"cls_token": ""})");
  EXPECT_ERROR(load(), "cls_token is empty");
}

}  // namespace
}  // namespace hasa
