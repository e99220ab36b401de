#include "hasa/eval/embeddings_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "hasa/base/error.h"
#include "hasa/eval/ranks_file.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kFiles{"entities.npy", "entities.txt", "queries.npy", "queries.tsv"};
/// Rows copied from a GPU, or made contiguous, at a time.
constexpr std::int64_t kRows = 4096;

void add_rows(NpyRows& file, const torch::Tensor& matrix) {
  for (std::int64_t first = 0; first < matrix.size(0); first += kRows) {
    const torch::Tensor part =
        matrix.slice(0, first, std::min(matrix.size(0), first + kRows)).to(torch::kCPU, torch::kFloat32).contiguous();
    file.add({part.const_data_ptr<float>(), static_cast<std::size_t>(part.numel())});
  }
}

void write_entities(const fs::path& folder, const Graph& graph, const torch::Tensor& entities) {
  NpyRows file(folder / "entities.npy", entities.size(0), entities.size(1));
  add_rows(file, entities);
  file.commit();
  AtomicFile ids(folder / "entities.txt");
  for (EntityId e = 0; e < graph.entities(); ++e) ids.write(escaped(graph.entity_id(e)) + "\n");
  ids.commit();
}

}  // namespace

void EmbeddingsFolder::check_free(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder, code)) return;
  HASA_CHECK(fs::is_directory(folder, code), config, "{} exists and is not a folder", folder.string());
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    HASA_CHECK(std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end(), config,
               "{} contains {}, which would not be overwritten\nchoose another folder for embeddings", folder.string(),
               name);
  }
}

EmbeddingsFolder::EmbeddingsFolder(const fs::path& folder, const Graph& graph, const torch::Tensor& entities,
                                   std::size_t queries)
    : graph_(graph),
      folder_(folder),
      vectors_(folder_.path() / "queries.npy", static_cast<std::int64_t>(queries), entities.size(1)),
      ids_(folder_.path() / "queries.tsv") {
  write_entities(folder_.path(), graph, entities);
  ids_.write("head\trelation\ttail\tdirection\n");
}

void EmbeddingsFolder::add(std::span<const Triple> queries, const torch::Tensor& vectors) {
  add_rows(vectors_, vectors);
  for (const Triple& query : queries) {
    const bool tail = query.relation < graph_.relations();
    const Triple triple = tail ? query : inverse(query, graph_.relations());
    ids_.write(fmt::format("{}\t{}\t{}\t{}\n", escaped(graph_.entity_id(triple.head)),
                           escaped(graph_.relation_id(triple.relation)), escaped(graph_.entity_id(triple.tail)),
                           tail ? "tail" : "head"));
  }
}

void EmbeddingsFolder::commit() {
  vectors_.commit();
  ids_.commit();
  folder_.commit();
}

}  // namespace hasa
