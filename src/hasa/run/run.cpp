#include "hasa/run/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/base/version.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// Advice for a changed file.
std::string advice(const std::string& name) {
  if (name == Run::kConfig)
    return "restore the original; other options need a new run (hasa train --config FILE --out ANOTHER)";
  if (name == Run::kTexts) return "delete it, and hasa train --resume recreates it";
  return "restore it from a backup, or train again into another --out";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// A checkpoint may be gigabytes, and every kill during one would leave that much behind.
void remove_half_written(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (is_temporary(entry.path())) found.push_back(entry.path());
  }
  for (const fs::path& path : found) fs::remove_all(path, ignored);
}

}  // namespace

bool Run::is_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / RunDescription::kFile, ignored);
}

bool Run::is_taken(const fs::path& folder) {
  refuse_dangling_link(folder);
  std::error_code code;
  const bool free = !fs::exists(folder, code) || (fs::is_directory(folder, code) && fs::is_empty(folder, code));
  if (free) return false;
  // In this order: a run appears whole, so what has just filled the folder is seen to be one.
  HASA_CHECK(is_run(folder), config, "{} is there and is no run\nchoose another --out, or an empty folder",
             folder.string());
  return true;
}

Run Run::create(const fs::path& folder, const std::string& config_yaml, const Graph& graph) {
  AtomicFolder fresh(folder);
  write_file(fresh.path() / kConfig, config_yaml);
  RunDescription description{.hasa = version(), .commit = commit(), .graph_hash = graph.content_hash(), .files = {}};
  description.expect(kConfig, hash_of_file(fresh.path() / kConfig));
  description.write(fresh.path());
  fs::create_directory(fresh.path() / kBestFolder);
  if (!fresh.commit_where_free()) {
    is_taken(folder);  // says so where something else stands there
    fail(ErrorKind::io, "another process has just started a run in {}\nwait for it, or choose another --out",
         folder.string());
  }
  return open(folder);
}

Run Run::open(const fs::path& folder) {
  HASA_CHECK(fs::is_directory(folder), data, "run folder {} does not exist", folder.string());
  HASA_CHECK(is_run(folder), data, "{} is not a run folder: it has no {}\nexpected a run folder written by hasa train",
             folder.string(), RunDescription::kFile);
  const RunDescription description = RunDescription::read(folder);
  if (description.format == RunDescription::kFormatWithoutHashes) {
    log_warning(
        "{} is of format {}, without hashes: damage to its files cannot be detected; hasa train --resume adds them",
        folder.string(), description.format);
  }
  Run run;
  run.folder_ = folder;
  run.graph_hash_ = description.graph_hash;
  run.earlier_graphs_ = description.earlier_graphs;
  run.check_files();
  run.config_yaml_ = read_file(folder / kConfig);
  return run;
}

void Run::replace_config(const std::string& config_yaml) {
  put(kHere, [&](const fs::path& folder) { write_file(folder / kConfig, config_yaml); });
  config_yaml_ = config_yaml;
}

bool Run::has_model() const { return fs::exists(*this / kBest) || fs::exists(*this / kBestWords); }

std::string Run::first_changed(const RunDescription& description) const {
  for (const auto& [name, hashes] : description.files) {
    const fs::path file = folder_ / name;
    const bool missing = !fs::exists(file);
    // Users of these two report what to do without them.
    if (missing && (name == kTexts || name == kBest)) continue;
    if (missing || !description.allows(name, hash_of_file(file))) return name;
  }
  return "";
}

void Run::check_files() const {
  for (;;) {
    const RunDescription description = RunDescription::read(folder_);
    const std::string changed = first_changed(description);
    if (changed.empty()) return;
    // A training process may have stored a better model meanwhile: then the description has changed too.
    if (RunDescription::read(folder_) != description) continue;
    const fs::path file = folder_ / changed;
    HASA_CHECK(fs::exists(file), data, "{} is missing, but belongs to the run\n{}", file.string(), advice(changed));
    fail(ErrorKind::data, "{} has changed since it was written: it was edited or damaged\n{}", file.string(),
         advice(changed));
  }
}

void Run::put(const char* place, const std::function<void(const fs::path& folder)>& write) const {
  const AtomicFolder staged(folder_ / "staged");  // never committed: remove the leftovers
  const fs::path to = *place == '\0' ? folder_ : folder_ / place;
  try {
    write(staged.path());
    put_staged(staged.path(), place);
  } catch (const Error& error) {
    throw Error(error.kind(), replaced(error.what(), staged.path().string(), to.string()));
  }
}

void Run::put_staged(const fs::path& staged, const fs::path& place) const {
  const RunDescription before = RunDescription::read(folder_);
  RunDescription description = before;
  std::vector<fs::path> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(staged)) {
    names.push_back(place / entry.path().filename());
    description.expect(names.back().string(), hash_of_file(entry.path()));
  }
  if (description != before) description.write(folder_);
  for (const fs::path& name : names) rename_file(staged / name.filename(), folder_ / name);
}

void Run::upgrade() const {
  RunDescription description = RunDescription::read(folder_);
  if (description.format != RunDescription::kFormatWithoutHashes) return;
  std::vector<fs::path> names = {kConfig, kTexts};
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / kBestFolder)) {
    if (!is_temporary(entry.path())) names.push_back(kBestFolder / entry.path().filename());
  }
  for (const fs::path& name : names) {
    if (fs::is_regular_file(folder_ / name)) description.expect(name.string(), hash_of_file(folder_ / name));
  }
  description.format = RunDescription::kFormat;
  description.write(folder_);
}

Growth Run::check_graph(const Graph& graph) const {
  std::optional<Growth> growth = graph.growth_since(graph_hash_);
  HASA_CHECK(growth.has_value(), data,
             "the graph has changed since {} was trained on it (hash {:016x}, was {:016x})\nuse the old graph, or one "
             "that grew from it (hasa import --add), or train again",
             folder_.string(), graph.content_hash(), graph_hash_);
  return *std::move(growth);
}

void Run::move_to(const Graph& graph) {
  check_graph(graph);
  const std::uint64_t hash = graph.content_hash();
  if (hash == graph_hash_) return;
  RunDescription description = RunDescription::read(folder_);
  description.earlier_graphs.push_back(graph_hash_);
  description.graph_hash = hash;
  description.write(folder_);
  earlier_graphs_ = description.earlier_graphs;
  graph_hash_ = hash;
}

RunLock::RunLock(const fs::path& run)
    : descriptor_(::open((run / "lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644)) {
  HASA_CHECK(descriptor_ >= 0, io, "cannot write to {}: {}", run.string(), std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    ::close(descriptor_);
    HASA_CHECK(code == EWOULDBLOCK, io, "cannot lock {}: {}", run.string(), std::strerror(code));
    fail(ErrorKind::io, "another process is writing to {}\nwait for it, or choose another --out", run.string());
  }
  remove_half_written(run);
  remove_half_written(run / Run::kBestFolder);
}

RunLock::~RunLock() { ::close(descriptor_); }

}  // namespace hasa
