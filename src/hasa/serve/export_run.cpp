#include "hasa/serve/export_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/npy.h"
#include "hasa/eval/ranks_file.h"
#include "hasa/families/text/sentence_transformer.h"
#include "hasa/job/trained_run.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/serve/faiss_index.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, RunExport>, 4> kRunExports{
    {{"npy", RunExport::npy},
     {"safetensors", RunExport::safetensors},
     {"faiss", RunExport::faiss},
     {"sentence-transformers", RunExport::sentence_transformers}}};
/// Rows copied from a GPU at a time.
constexpr std::int64_t kExportedRows = 65536;

void write_rows(const fs::path& file, const torch::Tensor& matrix) {
  NpyRows rows(file, matrix.size(0), matrix.size(1));
  for (std::int64_t first = 0; first < matrix.size(0); first += kExportedRows) {
    const torch::Tensor part =
        matrix.slice(0, first, std::min(matrix.size(0), first + kExportedRows)).cpu().contiguous();
    rows.add({part.const_data_ptr<float>(), static_cast<std::size_t>(part.numel())});
  }
  rows.commit();
}

void write_ids(const fs::path& file, const Graph& graph) {
  AtomicFile ids(file);
  for (EntityId e = 0; e < graph.entities(); ++e) ids.write(escaped(graph.entity_id(e)) + "\n");
  ids.commit();
}

void write_about(const fs::path& file, const RunConfig& config, const VectorScorer& scorer, const Graph& graph) {
  const ModelFacts facts = facts_of(config);
  const nlohmann::ordered_json about{{"model", facts.name},
                                     {"score", facts.score},
                                     {"similarity", to_string(scorer.similarity())},
                                     {"entities", scorer.entities().size(0)},
                                     {"dim", scorer.entities().size(1)},
                                     {"graph_hash", fmt::format("{:016x}", graph.content_hash())}};
  write_file(file, about.dump(2) + "\n");
}

void write_vectors(const fs::path& folder, const VectorScorer& scorer, RunExport format) {
  const torch::Tensor& entities = scorer.entities();
  if (format == RunExport::npy) write_rows(folder / "entities.npy", entities);
  if (format == RunExport::safetensors)
    save_tensors(folder / "entities.safetensors", {{"entities", entities}},
                 {{"score", to_string(scorer.similarity())}});
  if (format == RunExport::faiss) FaissIndex::build(entities, scorer.similarity(), {})->save(folder / "entities.faiss");
}

void export_encoder(const Run& run, const fs::path& folder) {
  const RunConfig config = config_of(run);
  const auto* text = std::get_if<TextFamily>(&config.family);
  HASA_CHECK(text != nullptr, config,
             "{} trained no language model: it has none of its own to export\nonly runs of model.type=text do",
             run.folder().string());
  HASA_CHECK(run.has_model(), data, "{} has no model yet", run.folder().string());
  write_sentence_transformer(*text, run, folder);
}

}  // namespace

RunExport run_export_of(std::string_view word) {
  for (const auto& [name, format] : kRunExports) {
    if (word == name) return format;
  }
  fail(ErrorKind::config, "a run cannot be exported as \"{}\", expected {}", word, run_export_words());
}

std::string run_export_words() {
  std::string words;
  for (const auto& [name, format] : kRunExports) {
    words += words.empty() ? "" : format == kRunExports.back().second ? " or " : ", ";
    words += name;
  }
  return words;
}

void export_run(const fs::path& run_folder, const fs::path& folder, const RunExportOptions& options) {
  const Run run = Run::open(run_folder);
  if (options.format == RunExport::sentence_transformers) return export_encoder(run, folder);
  const TrainedRun trained = open_trained(run, options.graph, options.device);
  const auto* scorer = dynamic_cast<const VectorScorer*>(trained.scorer.get());
  HASA_CHECK(scorer != nullptr, config,
             "{} has no vector for each entity: its model scores question and entity together", run_folder.string());
  AtomicFolder made(folder);
  write_vectors(made.path(), *scorer, options.format);
  write_ids(made.path() / "entities.txt", *trained.graph);
  write_about(made.path() / "about.json", config_of(run), *scorer, *trained.graph);
  HASA_CHECK(made.commit_where_free(), config, "{} exists and is not empty\nchoose another --out", folder.string());
}

}  // namespace hasa
