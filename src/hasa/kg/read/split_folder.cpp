#include "hasa/kg/read/split_folder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/kg/text_lines.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

/// "train" of "train.nt.gz".
std::string stem_of(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.find('.'));
}

/// The files whose name begins so, in the order of their names.
std::vector<fs::path> files_called(const fs::path& folder, const std::vector<std::string>& stems) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.is_regular_file(ignored)) continue;
    const std::string name = entry.path().filename().string();
    const bool called = std::find(stems.begin(), stems.end(), stem_of(entry.path())) != stems.end();
    const bool readable = format_by_name(name) != InputFormat::automatic || unpacked_name(name).ends_with(".txt");
    if (called && readable) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> stems_of(Split split) {
  switch (split) {
    case Split::train: return {"train", "training"};
    case Split::valid: return {"valid", "validation", "dev", "val"};
    case Split::test: return {"test", "testing"};
  }
  return {};
}

class SplitFolder {
 public:
  SplitFolder(const fs::path& folder, const StatementOptions& as) : folder_(folder), reader_(as, gatherer_) {}

  Graph read(const ImportOptions& options) {
    for (const fs::path& file : files_called(folder_, {"texts", "entities"}))
      read_texts(file, TextLayout::name_and_description, gatherer_.entities, gatherer_.entity_texts);
    for (const fs::path& file : files_called(folder_, {"relations"}))
      read_texts(file, TextLayout::words, gatherer_.relations, gatherer_.relation_texts);
    std::array<std::uint64_t, 3> bad_in = {};
    for (const Split split : kSplits) {
      const std::uint64_t bad_before = gatherer_.problems.count();
      for (const fs::path& file : files_called(folder_, stems_of(split))) read_triples(file, split);
      bad_in[static_cast<std::size_t>(split)] = gatherer_.problems.count() - bad_before;
    }
    const Finding bad_lines = gatherer_.problems.settle(options.bad_lines);
    for (const Split split : kSplits) {
      const auto i = static_cast<std::size_t>(split);
      const std::vector<fs::path> files = files_called(folder_, stems_of(split));
      HASA_CHECK(!files.empty(), data, "{} has no {} file", folder_.string(), to_string(split));
      check_split(files[0].string(), split, gatherer_.triples[i].size(), bad_in[i]);
    }
    const Finding gone = gatherer_.settle_entities_without_triples(/*listed=*/true);
    const Finding named = reader_.name_after_iris();
    GraphParts parts = gatherer_.take_parts();
    const fs::path last = folder_.has_filename() ? folder_ : folder_.parent_path();
    parts.found.source = "folder " + last.filename().string();
    parts.found.bad_lines = bad_lines;
    parts.found.named_after_iri = named;
    parts.found.repeated_texts = texts_.repeated;
    parts.found.unused_texts = gone;
    return Graph(std::move(parts));
  }

 private:
  void read_triples(const fs::path& file, Split split) {
    ByteSource source = ByteSource::open(file.string());
    const bool empty = without_byte_order_mark(source.beginning()).empty();
    if (!empty || split == Split::train) reader_.read(source, split);
  }

  void read_texts(const fs::path& file, TextLayout layout, Vocabulary& ids, HeldTexts& held) {
    ByteSource source = ByteSource::open(file.string());
    if (!is_separated(file.string()) || stem_of(file) == "texts") return reader_.read_texts(source);
    const std::string content = source.read_all();
    read_text_lines({file.string(), content}, layout, NewIds::add, ids, held, gatherer_.problems, texts_);
  }

  fs::path folder_;
  GraphGatherer gatherer_;
  StatementReader reader_;
  TextFindings texts_;
};

}  // namespace

bool looks_like_split_folder(const fs::path& folder) {
  return std::all_of(kSplits.begin(), kSplits.end(),
                     [&](Split split) { return !files_called(folder, stems_of(split)).empty(); });
}

Graph read_split_folder(const fs::path& folder, const StatementOptions& as, const ImportOptions& options) {
  return SplitFolder(folder, as).read(options);
}

}  // namespace hasa
