#include "hasa/model/text_embeddings.h"

#include <fstream>
#include <limits>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/kg/add_to_graph.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/model/grown_texts.h"
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

/// The small benchmark with another entity and relation, and another text for the dog.
Graph grown_benchmark(const Graph& graph, const std::filesystem::path& folder) {
  write_file(folder / "more.tsv", "wolf\thunts\tdog\n");
  write_file(folder / "texts.tsv", "dog\tDog\ta faithful friend\nwolf\tWolf\ta wild canine\n");
  return add_to_graph(graph, {folder / "more.tsv"}, {.entities = {folder / "texts.tsv"}, .relations = {}}, {});
}

TEST(GrownTexts, KeepRowsAndReadTheRest) {
  const TempDir dir;
  const Graph before = testing::SmallBenchmark().read(), graph = grown_benchmark(before, dir.path());
  const Growth growth = *graph.growth_since(before.content_hash());
  const TextsToRead asked = TextsToRead::of(graph, growth);
  const EntityId dog = *graph.find_entity("dog"), wolf = *graph.find_entity("wolf");
  EXPECT_THAT(asked.entities, ::testing::ElementsAre(dog, wolf));
  EXPECT_THAT(asked.relations, ::testing::ElementsAre(2, 5));  // hunts and its inverse; there are three relations
  const TextEmbeddings earlier{torch::randn({5, 3}), torch::randn({4, 3}), "made up"};
  const TextEmbeddings read{torch::ones({2, 3}), torch::full({2, 3}, 2.F), ""};
  const TextEmbeddings grown = grown_texts(earlier, graph, growth, asked, read);
  for (EntityId e = 0; e < graph.entities(); ++e)
    EXPECT_TRUE(torch::equal(grown.entities[e], e == dog || e == wolf ? torch::ones({3}) : earlier.entities[e])) << e;
  const int from[] = {0, 1, -1, 2, 3, -1};
  for (int r = 0; r < 6; ++r)
    EXPECT_TRUE(torch::equal(grown.relations[r], from[r] < 0 ? torch::full({3}, 2.F) : earlier.relations[from[r]]))
        << r;
  const TextEmbeddings other{torch::randn({4, 3}), torch::randn({4, 3}), "made up"};
  EXPECT_ERROR(grown_texts(other, graph, growth, asked, read), "text embeddings of 4 entities");
}

TEST(TextEmbeddings, SayOfWhichGraphTheyAre) {
  TextEmbeddings texts{torch::randn({1, 1}), torch::randn({1, 1}), "graph 00000000000000ff, language model 1"};
  EXPECT_EQ(texts.graph(), 255U);
  texts.set_graph(16);
  EXPECT_EQ(texts.made_from, "graph 0000000000000010, language model 1");
  for (const char* other : {"made up", "graph 12", "graph 00000000000000zz, x", ""}) {
    texts.made_from = other;
    EXPECT_FALSE(texts.graph()) << other;
    texts.set_graph(1);
    EXPECT_EQ(texts.made_from, other);
  }
}

TEST(EmbedTexts, OfAGrownGraphReadsOnlyWhatIsNewOrHasChanged) {
  HASA_NEEDS_FOLDER(model, "HASA_MINILM");
  const TempDir dir;
  const Graph before = testing::SmallBenchmark().read(), graph = grown_benchmark(before, dir.path());
  const LanguageModelConfig config{.path = model.string(), .precision = Precision::fp32};
  before.save(dir / "before");
  // Marked vectors show what was taken over.
  TextEmbeddings marked = embed_texts(before, dir / "before", {}, config, torch::kCPU);
  marked.entities.zero_();
  marked.save(kept_file(dir / "before"));
  graph.save(dir / "graph", dir / "before");
  const TextEmbeddings grown = embed_texts(graph, dir / "graph", {}, config, torch::kCPU);
  std::filesystem::create_directory(dir / "elsewhere");
  const TextEmbeddings whole = embed_texts(graph, dir / "elsewhere", {}, config, torch::kCPU);
  EXPECT_EQ(grown.made_from, whole.made_from);
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const bool read = graph.entity_id(e) == "dog" || graph.entity_id(e) == "wolf";
    EXPECT_TRUE(
        torch::allclose(grown.entities[e], read ? whole.entities[e] : torch::zeros({whole.hidden()}), 1e-5, 1e-5));
  }
  EXPECT_TRUE(torch::allclose(grown.relations, whole.relations, 1e-5, 1e-5));
  // Those of the earlier graph are of no more use here, and there they stay.
  EXPECT_EQ(TextEmbeddings::load(kept_file(dir / "graph")).made_from, grown.made_from);
  EXPECT_TRUE(std::filesystem::exists(kept_file(dir / "before")));
}

}  // namespace
}  // namespace hasa
