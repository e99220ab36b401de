#include "hasa/model/text_embeddings.h"

#include <fstream>
#include <limits>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

using testing::TempDir;

std::filesystem::path kept_file(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("texts-")) return entry.path();
  }
  ADD_FAILURE() << "no embeddings are kept in " << folder;
  return {};
}

TEST(TextEmbeddings, ReadBackAsTheyWereSaved) {
  const TempDir dir;
  const TextEmbeddings saved{torch::randn({3, 4}), torch::randn({2, 4}), "graph 1, \"words\""};
  saved.save(dir / "text.safetensors");
  const TextEmbeddings loaded = TextEmbeddings::load(dir / "text.safetensors");
  EXPECT_TRUE(torch::equal(loaded.entities, saved.entities));
  EXPECT_TRUE(torch::equal(loaded.relations, saved.relations));
  EXPECT_EQ(loaded.made_from, saved.made_from);
  EXPECT_EQ(loaded.hidden(), 4);
}

TEST(TextEmbeddings, RefuseAFileOfSomethingElse) {
  const TempDir dir;
  save_tensors(dir / "text.safetensors", {{"weights", torch::ones({2})}}, {});
  EXPECT_ERROR(TextEmbeddings::load(dir / "text.safetensors"), "has no tensor entities");
}

TEST(TextEmbeddings, RefuseAFileInWhichABitWasFlipped) {
  const TempDir dir;
  TextEmbeddings{torch::randn({3, 4}), torch::randn({2, 4}), "made up"}.save(dir / "text.safetensors");
  const std::string whole = read_file(dir / "text.safetensors");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    std::ofstream(dir / "text.safetensors", std::ios::binary) << flipped;
    try {
      // The name of the checksum is all that can be lost, and that is told.
      EXPECT_FALSE(TextEmbeddings::load(dir / "text.safetensors").checked) << at;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("text.safetensors")) << at;
    }
  }
}

TEST(TextEmbeddings, RefuseValuesThatAreNoNumbers) {
  const TempDir dir;
  const torch::Tensor entities = torch::randn({3, 4});
  entities[1][2] = std::numeric_limits<float>::quiet_NaN();
  TextEmbeddings{entities, torch::randn({2, 4}), "made up"}.save(dir / "text.safetensors");
  EXPECT_ERROR(TextEmbeddings::load(dir / "text.safetensors"), "entities holds values that are not finite numbers");
}

TEST(EmbedTexts, MakesUnitVectorsInWhichLikeTextsAreNear) {
  HASA_NEEDS_FOLDER(model, "HASA_MINILM");
  const TempDir dir;
  const Graph g = testing::SmallBenchmark().read();
  const LanguageModelConfig config{.path = model.string(), .precision = Precision::fp32};
  const TextEmbeddings made = embed_texts(g, dir.path(), {}, config, torch::kCPU);
  EXPECT_EQ(made.entities.size(0), g.entities());
  EXPECT_EQ(made.relations.size(0), g.num_directed_relations());
  EXPECT_TRUE(torch::allclose(made.entities.norm(2, 1), torch::ones({g.entities()})));
  EXPECT_TRUE(torch::allclose(made.relations.norm(2, 1), torch::ones({g.num_directed_relations()})));
  const auto similarity = [&](const char* a, const char* b) {
    return made.entities[*g.find_entity(a)].dot(made.entities[*g.find_entity(b)]).item<double>();
  };
  EXPECT_GT(similarity("dog", "canine"), similarity("dog", "animal"));
  EXPECT_GT(similarity("fox", "canine"), similarity("fox", "paw"));
}

TEST(EmbedTexts, ReadsBackWhatItKeptUnlessItIsDamagedOrOfOtherOptions) {
  HASA_NEEDS_FOLDER(model, "HASA_MINILM");
  const TempDir dir;
  const Graph g = testing::SmallBenchmark().read();
  const LanguageModelConfig config{.path = model.string(), .precision = Precision::fp32};
  const TextEmbeddings made = embed_texts(g, dir.path(), {}, config, torch::kCPU);
  const auto file = kept_file(dir.path());

  TextEmbeddings marked = made;
  marked.entities = torch::zeros_like(made.entities);
  marked.save(file);
  EXPECT_TRUE(torch::equal(embed_texts(g, dir.path(), {}, config, torch::kCPU).entities, marked.entities));

  write_file(file, "damaged");
  EXPECT_TRUE(torch::equal(embed_texts(g, dir.path(), {}, config, torch::kCPU).entities, made.entities));

  marked.save(file);
  const TextConfig names_alone{.entity = "{name}"};
  const torch::Tensor other = embed_texts(g, dir.path(), names_alone, config, torch::kCPU).entities;
  EXPECT_FALSE(torch::equal(other, marked.entities));
  EXPECT_FALSE(torch::allclose(other, made.entities));
}

TEST(EmbedTexts, RefusesTextsLongerThanTheModelReads) {
  HASA_NEEDS_FOLDER(model, "HASA_MINILM");
  const TempDir dir;
  const TextConfig text{.max_tokens = 100'000};
  EXPECT_ERROR(embed_texts(testing::SmallBenchmark().read(), dir.path(), text, {.path = model.string()}, torch::kCPU),
               "text.max_tokens is 100000, but");
}

}  // namespace
}  // namespace hasa
