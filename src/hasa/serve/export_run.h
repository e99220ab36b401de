#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hasa {

/// What of a run other programs can use.
enum class RunExport {
  npy,                   ///< the vectors of all entities: entities.npy [entities, dim] float32, entities.txt their ids
  safetensors,           ///< the same as entities.safetensors, tensor "entities"
  faiss,                 ///< the same as entities.faiss, an index that FAISS reads
  sentence_transformers  ///< the trained language model as a folder for transformers and sentence-transformers
};

/// "npy", "safetensors", "faiss" or "sentence-transformers"; throws config, naming what there is.
RunExport run_export_of(std::string_view word);
/// All of them, for a help text.
std::string run_export_words();

struct RunExportOptions {
  RunExport format = RunExport::npy;
  std::string graph, device;  // stand in for what the run's config says, where they are not ""
};

/// Into a folder that is not there, or empty; it appears whole or not at all. A file about.json says what the vectors
/// are compared by. Throws config where the run has nothing of the kind: a model without vectors, or one whose language
/// model was not trained.
void export_run(const std::filesystem::path& run, const std::filesystem::path& folder, const RunExportOptions& options);

}  // namespace hasa
