#include "hasa/kg/graph_file.h"

#include <algorithm>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace fs = std::filesystem;

fs::path find_graph_file(const fs::path& folder) {
  std::error_code ignored;
  const std::string name = folder.string();
  HASA_CHECK(fs::exists(folder, ignored), data, "there is no graph at {}\nhasa import FILE --out {} makes one", name,
             name);
  HASA_CHECK(fs::is_directory(folder, ignored), data,
             "{} is a file; a graph is a folder\nhasa import {} --out GRAPH makes one of a file of triples", name,
             name);
  HASA_CHECK(fs::exists(folder / Graph::kFileName, ignored) || !looks_like_benchmark(folder), data,
             "{} holds triples as text\nhasa import {} --out GRAPH makes a graph of them", name, name);
  HASA_CHECK(fs::exists(folder / Graph::kFileName, ignored), data, "{} has no {}\nhasa import writes such a folder",
             name, Graph::kFileName);
  return folder / Graph::kFileName;
}

namespace {

/// graph.bin, what is kept beside it (tokens, embeddings), and what a kill may have left of writing them.
bool is_ours(std::string name) {
  if (name.starts_with('.') && name.ends_with(".tmp")) {  // .NAME.NUMBER.tmp
    name = name.substr(1, name.size() - 5);
    name.resize(std::min(name.size(), name.find_last_of('.')));
  }
  const auto is_kept = [&](const char* kind, const char* ending) {
    return name.starts_with(kind) && (name.ends_with(ending) || name.ends_with(".lock"));
  };
  return name == Graph::kFileName || is_kept("tokens-", ".bin") || is_kept("texts-", ".safetensors") ||
         is_kept("texts-", ".part");
}

/// A graph and what was derived from it, nothing of the user's.
bool holds_only_a_graph(const fs::path& folder) {
  bool graph = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!is_ours(entry.path().filename().string())) return false;
    graph = graph || entry.path().filename() == Graph::kFileName;
  }
  return graph;
}

}  // namespace

void save_graph_folder(const ArchiveWriter& writer, const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder, ignored)) {
    const bool free =
        fs::is_directory(folder, ignored) && (fs::is_empty(folder, ignored) || holds_only_a_graph(folder));
    HASA_CHECK(free, data, "{} is there already and is not a graph; it was left alone\nchoose another place",
               folder.string());
  }
  AtomicFolder writing(folder);
  writer.save(writing.path() / Graph::kFileName);
  writing.commit();
}

}  // namespace hasa
