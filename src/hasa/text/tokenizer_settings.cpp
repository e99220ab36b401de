#include "hasa/text/tokenizer_settings.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file.h"

namespace hasa {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 6> kWordPieceClasses = {"Bert",       "MPNet",   "DistilBert",
                                                               "MobileBert", "Electra", "PreTrained"};

/// One JSON file of the folder; asks for its values by path, and says where one is wrong.
class JsonFile {
 public:
  JsonFile(std::filesystem::path path, const std::string& text) : path_(std::move(path)) {
    if (text.empty()) return;
    // The vocabulary inside tokenizer.json is half a megabyte that vocab.txt has already.
    const auto skip_vocabulary = [](int depth, Json::parse_event_t event, Json& parsed) {
      return !(depth == 2 && event == Json::parse_event_t::key && parsed == Json("vocab"));
    };
    try {
      root_ = Json::parse(text, skip_vocabulary);
    } catch (const Json::exception& error) {
      fail(ErrorKind::data, "{}: not valid JSON: {}", path_.string(), error.what());
    }
    HASA_CHECK(root_.is_object(), data, "{}: expected a JSON object, found {}", path_.string(), root_.type_name());
  }

  /// Nothing when the key, or an object on the way to it, is absent or null.
  const Json* find(std::string_view object, std::string_view key) const {
    const Json* at = &root_;
    for (const std::string_view step : {object, key}) {
      if (step.empty()) continue;
      if (!at->is_object()) return nullptr;
      const auto found = at->find(std::string(step));
      if (found == at->end() || found->is_null()) return nullptr;
      at = &*found;
    }
    return at;
  }

  std::optional<bool> flag(std::string_view object, std::string_view key) const {
    const Json* value = find(object, key);
    if (value == nullptr) return std::nullopt;
    HASA_CHECK(value->is_boolean(), data, "{}: {} should be true or false, not {}", path_.string(), key,
               value->type_name());
    return value->get<bool>();
  }

  std::optional<std::string> word(std::string_view object, std::string_view key) const {
    const Json* value = find(object, key);
    // A special token is its text, or an object with its text as "content".
    if (value != nullptr && value->is_object() && value->contains("content")) value = &(*value)["content"];
    if (value == nullptr) return std::nullopt;
    HASA_CHECK(value->is_string(), data, "{}: {} should be a string, not {}", path_.string(), key, value->type_name());
    return value->get<std::string>();
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Json root_;
};

/// "MPNet" of "MPNetTokenizerFast".
std::string family_of(const std::string& name) {
  if (name == "TokenizersBackend") return "PreTrained";
  return name.substr(0, name.find("Tokenizer"));
}

TokenizerSettings defaults_of_family(const JsonFile& config, const JsonFile& tokenizer_config) {
  const std::optional<std::string> tokenizer_class = tokenizer_config.word("", "tokenizer_class");
  if (tokenizer_class) {
    const std::string family = family_of(*tokenizer_class);
    const bool known = std::find(kWordPieceClasses.begin(), kWordPieceClasses.end(), family) != kWordPieceClasses.end();
    HASA_CHECK(known, data, "{}: tokenizer_class {} is not supported: WordPiece tokenizers of BERT and MPNet are",
               tokenizer_config.path().string(), *tokenizer_class);
    if (family == "MPNet") return TokenizerSettings::mpnet();
    if (family != "PreTrained") return TokenizerSettings::bert();
  }
  return config.word("", "model_type") == "mpnet" ? TokenizerSettings::mpnet() : TokenizerSettings::bert();
}

void read_names(const JsonFile& file, TokenizerSettings& settings) {
  const std::pair<std::string_view, std::string*> names[] = {{"cls_token", &settings.cls},
                                                             {"sep_token", &settings.sep},
                                                             {"unk_token", &settings.unk},
                                                             {"pad_token", &settings.pad},
                                                             {"mask_token", &settings.mask}};
  for (const auto& [key, name] : names) {
    if (auto value = file.word("", key)) *name = std::move(*value);
    HASA_CHECK(!name->empty(), data, "{}: {} is empty", file.path().string(), key);
  }
}

/// What this implementation takes as given: the rules of BERT's own tokenizer.
void check_is_word_piece(const JsonFile& tokenizer) {
  const std::string file = tokenizer.path().string();
  const auto expect = [&](std::string_view object, std::string_view key, std::string_view wanted) {
    const std::optional<std::string> found = tokenizer.word(object, key);
    HASA_CHECK(!found || *found == wanted, data, "{}: the {}'s {} is {}; only {} is supported", file, object, key,
               *found, wanted);
  };
  expect("model", "type", "WordPiece");
  expect("model", "continuing_subword_prefix", "##");
  expect("normalizer", "type", "BertNormalizer");
  expect("pre_tokenizer", "type", "BertPreTokenizer");
  const Json* longest = tokenizer.find("model", "max_input_chars_per_word");
  HASA_CHECK(longest == nullptr || *longest == 100, data, "{}: max_input_chars_per_word is {}; only 100 is supported",
             file, longest->dump());
  HASA_CHECK(tokenizer.flag("normalizer", "clean_text").value_or(true), data,
             "{}: a normalizer without clean_text is not supported", file);
}

}  // namespace

TokenizerSettings TokenizerSettings::mpnet() {
  TokenizerSettings settings;
  settings.cls = "<s>";
  settings.sep = "</s>";
  settings.pad = "<pad>";
  settings.mask = "<mask>";
  settings.pair_separators = 2;
  settings.token_types = false;
  return settings;
}

TokenizerSettings TokenizerSettings::load(const std::filesystem::path& folder) {
  const auto read = [&](const char* name) {
    return std::filesystem::exists(folder / name) ? read_file(folder / name) : std::string();
  };
  return parse(
      {read("config.json"), read("tokenizer.json"), read("special_tokens_map.json"), read("tokenizer_config.json")},
      folder);
}

TokenizerSettings TokenizerSettings::parse(const TokenizerFiles& files, const std::filesystem::path& folder) {
  const JsonFile config(folder / "config.json", files.config);
  const JsonFile tokenizer(folder / "tokenizer.json", files.tokenizer);
  const JsonFile names(folder / "special_tokens_map.json", files.special_tokens_map);
  const JsonFile tokenizer_config(folder / "tokenizer_config.json", files.tokenizer_config);
  check_is_word_piece(tokenizer);

  TokenizerSettings settings = defaults_of_family(config, tokenizer_config);
  if (auto unk = tokenizer.word("model", "unk_token")) settings.unk = std::move(*unk);
  read_names(names, settings);
  read_names(tokenizer_config, settings);

  const auto either = [&](std::string_view in_config, std::string_view in_normalizer) {
    const std::optional<bool> said = tokenizer_config.flag("", in_config);
    return said ? said : tokenizer.flag("normalizer", in_normalizer);
  };
  settings.lower_case = either("do_lower_case", "lowercase").value_or(settings.lower_case);
  settings.split_cjk = either("tokenize_chinese_chars", "handle_chinese_chars").value_or(settings.split_cjk);
  settings.strip_accents = either("strip_accents", "strip_accents").value_or(settings.lower_case);
  return settings;
}

}  // namespace hasa
