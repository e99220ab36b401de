#include "hasa/model/language_model.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/hash.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path>& added_model_folders() {
  static std::vector<fs::path> folders;
  return folders;
}

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders = added_model_folders();
  if (const char* named = std::getenv("HASA_MODELS"); named != nullptr && *named != '\0')
    folders.emplace(folders.begin(), named);
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  if (!code) folders.push_back(program.parent_path().parent_path() / "share/hasa/models");
#ifdef HASA_MODEL_FOLDER
  folders.emplace_back(HASA_MODEL_FOLDER);
#endif
  return folders;
}

}  // namespace

fs::path find_language_model(const std::string& path_or_name) {
  HASA_CHECK(!path_or_name.empty(), data, "no language model given: name a folder, or a model in HASA_MODELS");
  std::error_code ignored;
  if (fs::is_directory(path_or_name, ignored)) return fs::canonical(path_or_name);
  HASA_CHECK(!fs::exists(path_or_name, ignored), data,
             "language model {} is a file, expected a folder with config.json, vocab.txt and model.safetensors",
             path_or_name);
  std::string looked_at;
  if (path_or_name.find('/') == std::string::npos) {
    for (const fs::path& folder : model_folders()) {
      if (fs::is_directory(folder / path_or_name)) return fs::canonical(folder / path_or_name);
      looked_at += fmt::format("{}{}", looked_at.empty() ? "\nlooked in " : ", ", folder.string());
    }
    looked_at += "\nput it there, or set HASA_MODELS to the folder that holds it";
  }
  fail(ErrorKind::data,
       "there is no language model {}: expected a folder with config.json, vocab.txt and model.safetensors{}",
       path_or_name, looked_at);
}

std::string language_model_name(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& models : model_folders()) {
    for (const auto& entry : fs::directory_iterator(models, ignored)) {
      if (fs::equivalent(entry.path(), folder, ignored)) return entry.path().filename().string();
    }
  }
  const fs::path parent = folder.parent_path().filename();
  return (parent.empty() ? folder.filename() : parent / folder.filename()).string();
}

void add_model_folder(const fs::path& folder) {
  if (fs::is_directory(folder)) added_model_folders().push_back(folder);
}

WordPiece load_tokenizer(const fs::path& folder) {
  if (!fs::exists(folder / "vocab.txt") && fs::exists(folder / "config.json")) {
    read_encoder_config(folder / "config.json");
  }
  return WordPiece::load(folder);
}

LanguageModel LanguageModel::open(const std::string& path_or_name) {
  const fs::path folder = find_language_model(path_or_name);
  const EncoderConfig config = read_encoder_config(folder / "config.json");
  return {folder, config, WordPiece::load(folder)};
}

std::uint64_t LanguageModel::fingerprint() const {
  std::uint64_t hash = tokenizer.fingerprint();
  for (const char* name : {"config.json", "model.safetensors"}) {
    const MappedFile file(folder / name);
    hash = hash_bytes(file.bytes().data(), file.bytes().size(), hash);
  }
  return hash;
}

}  // namespace hasa
