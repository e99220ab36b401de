#include "hasa/model/language_model_config.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/nn/encode_all.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("HASA_MODELS"); named != nullptr && *named != '\0') folders.emplace_back(named);
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
  if (fs::is_directory(path_or_name)) return fs::canonical(path_or_name);
  HASA_CHECK(!fs::exists(path_or_name), data, "language model {} is a file, expected a folder with config.json, vocab.txt and model.safetensors",
             path_or_name);
  std::string looked_at;
  if (path_or_name.find('/') == std::string::npos) {
    for (const fs::path& folder : model_folders()) {
      if (fs::is_directory(folder / path_or_name)) return fs::canonical(folder / path_or_name);
      looked_at += fmt::format("{}{}", looked_at.empty() ? "\nlooked in " : ", ", folder.string());
    }
  }
  fail(ErrorKind::data, "there is no language model {}: expected a folder with config.json, vocab.txt and model.safetensors{}",
       path_or_name, looked_at);
}

torch::Dtype dtype_for(Precision precision, const torch::Device& device) {
  switch (precision) {
    case Precision::fp32: return torch::kFloat32;
    case Precision::bf16: return torch::kBFloat16;
    case Precision::automatic: break;
  }
  return device.is_cuda() || cpu_has_bfloat16() ? torch::kBFloat16 : torch::kFloat32;
}

}  // namespace hasa
