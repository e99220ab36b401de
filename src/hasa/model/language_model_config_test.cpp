#include "hasa/model/language_model_config.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

/// Sets HASA_MODELS for one test.
class ModelsFolder {
 public:
  explicit ModelsFolder(const fs::path& folder) {
    if (const char* value = std::getenv("HASA_MODELS")) before_ = value;
    ::setenv("HASA_MODELS", folder.c_str(), 1);
  }
  ~ModelsFolder() { before_ ? ::setenv("HASA_MODELS", before_->c_str(), 1) : ::unsetenv("HASA_MODELS"); }

 private:
  std::optional<std::string> before_;
};

TEST(FindLanguageModel, TakesAFolderAsItIs) {
  const TempDir dir;
  EXPECT_EQ(find_language_model(dir.path().string()), fs::canonical(dir.path()));
}

TEST(FindLanguageModel, LooksUpANameInTheFolderOfModels) {
  const TempDir dir;
  const ModelsFolder models(dir.path());
  fs::create_directory(dir / "small-model");
  EXPECT_EQ(find_language_model("small-model"), fs::canonical(dir / "small-model"));
}

TEST(FindLanguageModel, SaysWhereItLookedForAName) {
  const TempDir dir;
  const ModelsFolder models(dir.path());
  EXPECT_ERROR(find_language_model("no-such-model"), "there is no language model no-such-model");
  EXPECT_ERROR(find_language_model("no-such-model"), "looked in " + dir.path().string());
}

TEST(FindLanguageModel, DoesNotTakeAPathForAName) {
  const TempDir dir;
  const ModelsFolder models(dir.path());
  fs::create_directories(dir / "some/model");
  EXPECT_ERROR(find_language_model("some/model"), "there is no language model some/model");
}

TEST(FindLanguageModel, RefusesAFile) {
  const TempDir dir;
  write_file(dir / "model.safetensors", "x");
  EXPECT_ERROR(find_language_model((dir / "model.safetensors").string()), "is a file, expected a folder");
}

TEST(DtypeFor, FollowsTheOption) {
  EXPECT_EQ(dtype_for(Precision::fp32, torch::kCUDA), torch::kFloat32);
  EXPECT_EQ(dtype_for(Precision::bf16, torch::kCPU), torch::kBFloat16);
}

TEST(DtypeFor, ChoosesBfloat16WhereTheChipHasInstructionsForIt) {
  std::ifstream in("/proc/cpuinfo");
  const std::string cpu((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const bool has = cpu.find("avx512_bf16") != std::string::npos;
  EXPECT_EQ(dtype_for(Precision::automatic, torch::kCPU), has ? torch::kBFloat16 : torch::kFloat32);
  EXPECT_EQ(dtype_for(Precision::automatic, torch::kCUDA), torch::kBFloat16);
}

}  // namespace
}  // namespace hasa
