#include "hasa/kg/graph_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

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

namespace {

/// Held on a folder while a process fills it, so that no other takes it for abandoned.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
        held_(descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {}
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  bool held() const { return held_; }

 private:
  int descriptor_;
  bool held_;
};

/// Removes what processes that were killed left of writing this folder: .NAME.0123456789abcdef.tmp beside it.
void remove_abandoned(const fs::path& folder) {
  const fs::path place = folder.has_filename() ? folder : folder.parent_path();
  const std::string beginning = fmt::format(".{}.", place.filename().string());
  constexpr std::size_t kDigits = 16, kEnding = 4;  // ".tmp"
  const fs::path parent = place.has_parent_path() ? place.parent_path() : fs::path(".");
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!is_temporary(entry.path()) || !name.starts_with(beginning)) continue;
    if (name.size() != beginning.size() + kDigits + kEnding || entry.is_symlink(ignored)) continue;
    // An empty one may be just about to be locked.
    if (!entry.is_directory(ignored) || fs::is_empty(entry.path(), ignored)) continue;
    const fs::directory_iterator files(entry.path(), ignored);
    const bool ours = std::all_of(begin(files), end(files), [](const fs::directory_entry& file) {
      return is_ours(file.path().filename().string());
    });
    const FolderLock lock(entry.path());
    if (ours && lock.held()) fs::remove_all(entry.path(), ignored);
  }
}

/// As links where the file system has them, else as copies; without them they are made again.
void bring_embeddings(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, ignored)) {
    const fs::path name = entry.path().filename();
    if (!name.string().starts_with("texts-") || name.extension() != ".safetensors" || entry.is_symlink(ignored))
      continue;
    std::error_code no_link;
    fs::create_hard_link(entry.path(), to / name, no_link);
    if (no_link) fs::copy_file(entry.path(), to / name, ignored);
  }
}

}  // namespace

void check_graph_place(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder, ignored)) {
    const bool free =
        fs::is_directory(folder, ignored) && (fs::is_empty(folder, ignored) || holds_only_a_graph(folder));
    HASA_CHECK(free, data, "{} already exists and is not a graph; it was left alone\nchoose another place",
               folder.string());
  }
}

void save_graph_folder(const ArchiveWriter& writer, const fs::path& folder, const fs::path& embeddings_of) {
  check_graph_place(folder);
  remove_abandoned(folder);
  AtomicFolder writing(folder);
  const FolderLock lock(writing.path());
  writer.save(writing.path() / Graph::kFileName);
  if (!embeddings_of.empty()) bring_embeddings(embeddings_of, writing.path());
  writing.commit();
}

}  // namespace hasa
