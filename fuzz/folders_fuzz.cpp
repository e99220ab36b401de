// Feeds the readers of whole folders with anything. The first byte chooses the layout:
//
//   bits 0-1  0 OpenKE, 1 LibKGE, 2 PyKEEN, 3 a folder with a file of any format for each split
//   bit 2     malformed lines are skipped
//
// The rest are the folder's files, in the order below, with the byte 0x1E between them. They are written into memory
// (/dev/shm) where there is such a place. HASA_FUZZ_READER=n reads every input as layout n.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "chosen_reader.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/read/numbered_folder.h"
#include "hasa/kg/read/split_folder.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<const char*>;
const Names kFiles[] = {
    {"entity2id.txt", "relation2id.txt", "train2id.txt", "valid2id.txt", "test2id.txt", "entities.tsv"},
    {"entity_ids.del", "relation_ids.del", "train.del", "valid.del", "test.del", "entity_strings.del",
     "relation_strings.del"},
    {"training/numeric_triples.tsv.gz", "training/entity_to_id.tsv.gz", "training/relation_to_id.tsv.gz",
     "validation/numeric_triples.tsv.gz", "testing/numeric_triples.tsv.gz"},
    {"train.nt", "valid.jsonl", "test.tsv", "entities.tsv", "texts.ttl"},
};

/// One folder for all inputs of the process; it goes with it.
class Folder {
 public:
  Folder() {
    const fs::path memory = "/dev/shm";
    path_ = (fs::exists(memory) ? memory : fs::temp_directory_path()) / ("hasa-fuzz-" + std::to_string(::getpid()));
  }
  ~Folder() { fs::remove_all(path_); }

  /// As many of the names as there are pieces of the input become files; the others are not there.
  void fill(const Names& names, std::string_view input) {
    fs::remove_all(path_);
    for (const char* name : names) {
      const std::size_t end = std::min(input.find('\x1E'), input.size());
      fs::create_directories((path_ / name).parent_path());
      std::ofstream(path_ / name, std::ios::binary).write(input.data(), static_cast<std::streamsize>(end));
      if (end == input.size()) return;
      input.remove_prefix(end + 1);
    }
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// What only a graph made from text promises: every id is found under its own number.
void use_folder_graph(const Graph& graph) {
  for (EntityId e = 0; e < graph.entities(); ++e) {
    if (graph.find_entity(graph.entity_id(e)) != e) std::abort();
  }
  for (const Split split : {Split::train, Split::valid, Split::test}) {
    for (const Triple& t : graph.triples(split)) {
      if (t.head < 0 || t.head >= graph.entities() || t.tail < 0 || t.tail >= graph.entities()) std::abort();
      if (t.relation < 0 || t.relation >= graph.relations()) std::abort();
    }
  }
}

Graph read_folder(int layout, const fs::path& folder, const ImportOptions& options) {
  switch (layout) {
    case 0: return read_numbered_folder(folder, NumberedLayout::openke, options);
    case 1: return read_numbered_folder(folder, NumberedLayout::libkge, options);
    case 2: return read_numbered_folder(folder, NumberedLayout::pykeen, options);
    default: return read_split_folder(folder, {}, options);
  }
}

}  // namespace
}  // namespace hasa

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hasa;
  if (size == 0) return 0;
  set_thread_count(1);
  set_log_level(LogLevel::off);
  set_progress_enabled(false);
  static Folder folder;
  const int layout = chosen_reader(data[0] & 3);
  ImportOptions options;
  options.bad_lines = (data[0] & 4) != 0 ? BadLines::skip : BadLines::fail;
  folder.fill(kFiles[layout], {reinterpret_cast<const char*>(data) + 1, size - 1});
  try {
    use_folder_graph(read_folder(layout, folder.path(), options));
  } catch (const Error&) {
    // Bad input is told so; anything else ends the run.
  }
  return 0;
}
