#include "hasa/model/language_model.h"

#include <cstdlib>
#include <optional>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

/// Sets HASA_MODELS during one test.
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

TEST(FindLanguageModel, LooksUpANameInAddedFoldersAfterTheUsersOwn) {
  const TempDir users, added;
  fs::create_directory(users / "in-both");
  for (const char* name : {"in-both", "in-the-added-one"}) fs::create_directory(added / name);
  const ModelsFolder models(users.path());
  add_model_folder(added.path());
  add_model_folder(added / "no-such-folder");
  EXPECT_EQ(find_language_model("in-both"), fs::canonical(users / "in-both"));
  EXPECT_EQ(find_language_model("in-the-added-one"), fs::canonical(added / "in-the-added-one"));
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

TEST(LanguageModelName, IsTheOneItIsFoundByEvenThroughALink) {
  const TempDir dir, package;
  const ModelsFolder models(dir.path());
  for (const char* folder : {"small-model", "model"}) fs::create_directory(package / folder);
  fs::create_symlink(package / "model", dir / "linked-model");
  EXPECT_EQ(language_model_name(find_language_model("linked-model")), "linked-model");
  const std::string unnamed = (package.path().filename() / "small-model").string();
  EXPECT_EQ(language_model_name(package / "small-model"), unnamed);
  fs::remove_all(package / "small-model");  // where a run's language model was deleted, it still has a name
  EXPECT_EQ(language_model_name(package / "small-model"), unnamed);
}

/// A copy of the small language model whose files can be changed; weights and all, as links.
void link_model(const fs::path& model, const fs::path& folder) {
  fs::create_directory(folder);
  for (const auto& file : fs::directory_iterator(model)) {
    fs::create_symlink(fs::canonical(file.path()), folder / file.path().filename());
  }
}

TEST(LanguageModel, HasAnotherFingerprintWithAnotherVocabulary) {
  HASA_NEEDS_FOLDER(model, "HASA_MINILM");
  const TempDir dir;
  link_model(model, dir / "same");
  link_model(model, dir / "other");
  std::string words = read_file(model / "vocab.txt");
  fs::remove(dir / "other/vocab.txt");
  write_file(dir / "other/vocab.txt", words + "oneword\n");
  const std::uint64_t expected = LanguageModel::open(model.string()).fingerprint();
  EXPECT_EQ(LanguageModel::open((dir / "same").string()).fingerprint(), expected);
  EXPECT_NE(LanguageModel::open((dir / "other").string()).fingerprint(), expected);
}

TEST(LanguageModel, RefusesAnUnknownArchitectureByItsName) {
  const TempDir dir;
  write_file(dir / "config.json", "{\"model_type\": \"gpt2\"}");
  EXPECT_ERROR(LanguageModel::open(dir.path().string()), "gpt2");
  EXPECT_ERROR(load_tokenizer(dir.path()), "gpt2");
}

}  // namespace
}  // namespace hasa
