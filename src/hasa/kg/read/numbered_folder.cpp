#include "hasa/kg/read/numbered_folder.h"

#include <array>
#include <string>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/number_in.h"
#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"
#include "hasa/kg/read/byte_source.h"
#include "hasa/kg/read/graph_gatherer.h"
#include "hasa/kg/text_lines.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

/// Where things are in a layout.
struct Places {
  const char* sign;  ///< the file the layout is told by
  const char* entities;
  const char* relations;
  std::array<const char*, 3> triples;  ///< by Split
  bool count_line;                     ///< files begin with how many lines follow
  bool header;                         ///< files begin with the names of their columns
  bool name_first;                     ///< name, then number
  bool relation_last;                  ///< head, tail, relation
};

constexpr Places kOpenKe = {"entity2id.txt",
                            "entity2id.txt",
                            "relation2id.txt",
                            {"train2id.txt", "valid2id.txt", "test2id.txt"},
                            true,
                            false,
                            true,
                            true};
constexpr Places kLibKge = {"entity_ids.del",
                            "entity_ids.del",
                            "relation_ids.del",
                            {"train.del", "valid.del", "test.del"},
                            false,
                            false,
                            false,
                            false};
constexpr Places kPyKeen = {
    "training/numeric_triples.tsv.gz",
    "training/entity_to_id.tsv.gz",
    "training/relation_to_id.tsv.gz",
    {"training/numeric_triples.tsv.gz", "validation/numeric_triples.tsv.gz", "testing/numeric_triples.tsv.gz"},
    false,
    true,
    false,
    false};

const Places& places_of(NumberedLayout layout) {
  return layout == NumberedLayout::openke ? kOpenKe : layout == NumberedLayout::libkge ? kLibKge : kPyKeen;
}

/// The lines of one such file: without their ends, and without a count or header before them.
class NumberedLines {
 public:
  NumberedLines(const fs::path& file, const Places& places)
      : name_(file.string()), text_(ByteSource::open(name_).read_all()), rest_(without_byte_order_mark(text_)) {
    if (!places.count_line && !places.header) return;
    std::string_view first;
    next(first);
    HASA_CHECK(!places.count_line || number_in<std::uint64_t>(trimmed(first)), data,
               "{}:1: expected the number of lines that follow, found \"{}\"", name_, shown(first, kShownOfALine));
  }

  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (!trimmed(line).empty()) return true;
    }
    return false;
  }

  std::uint64_t number() const { return number_; }
  const std::string& name() const { return name_; }

  static std::string_view trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t");
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(" \t") - from + 1);
  }

 private:
  std::string name_, text_;
  std::string_view rest_;
  std::uint64_t number_ = 0;
};

/// Three whole numbers, separated by spaces or tabs.
std::optional<std::array<std::int32_t, 3>> three_numbers(std::string_view line) {
  std::array<std::int32_t, 3> numbers = {};
  for (std::int32_t& number : numbers) {
    line = NumberedLines::trimmed(line);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const auto found = number_in<std::int32_t>(line.substr(0, end));
    if (!found) return std::nullopt;
    number = *found;
    line.remove_prefix(end);
  }
  return line.empty() ? std::optional(numbers) : std::nullopt;
}

std::string unquoted(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
  std::string text;
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') ++i;
  }
  return text;
}

class NumberedFolder {
 public:
  NumberedFolder(const fs::path& folder, NumberedLayout layout)
      : folder_(folder), layout_(layout), places_(places_of(layout)) {}

  Graph read(const ImportOptions& options) {
    read_ids(places_.entities, gatherer_.entities, "entity");
    read_ids(places_.relations, gatherer_.relations, "relation");
    std::array<std::uint64_t, 3> bad_in = {};
    for (const Split split : kSplits) {
      const std::uint64_t bad_before = gatherer_.problems.count();
      read_split(split);
      bad_in[static_cast<std::size_t>(split)] = gatherer_.problems.count() - bad_before;
    }
    read_texts();
    const Finding bad_lines = gatherer_.problems.settle(options.bad_lines);
    for (const Split split : kSplits) {
      const auto i = static_cast<std::size_t>(split);
      check_split(file(places_.triples[i]).string(), split, gatherer_.triples[i].size(), bad_in[i]);
    }
    GraphParts parts = gatherer_.take_parts();
    const fs::path last = folder_.has_filename() ? folder_ : folder_.parent_path();
    parts.found.source = fmt::format("{} folder {}", to_string(layout_), last.filename().string());
    parts.found.bad_lines = bad_lines;
    parts.found.repeated_texts = texts_.repeated;
    return Graph(std::move(parts));
  }

 private:
  fs::path file(const char* name) const {
    HASA_CHECK(fs::exists(folder_ / name), data, "{} has no {}, which every folder of {} has", folder_.string(), name,
               to_string(layout_));
    return folder_ / name;
  }

  /// Ids are numbered as the file says, which must be 0, 1, 2, ... in some order. One left out or given twice would
  /// move all others, so any mistake here stops the import.
  void read_ids(const char* name, Vocabulary& ids, const char* kind) {
    const std::vector<std::string> by_number = read_names(file(name));
    HASA_CHECK(!by_number.empty(), data, "{} names no {}", file(name).string(), kind);
    for (std::size_t i = 0; i < by_number.size(); ++i) {
      HASA_CHECK(!by_number[i].empty(), data, "{}: no {} has number {}\nexpected all from 0 to {}", file(name).string(),
                 kind, i, by_number.size() - 1);
      HASA_CHECK(static_cast<std::size_t>(ids.add(by_number[i])) == i, data, "{}: {} \"{}\" has two numbers",
                 file(name).string(), kind, shown(by_number[i], kShownOfALine));
    }
  }

  std::vector<std::string> read_names(const fs::path& path) const {
    NumberedLines lines(path, places_);
    std::vector<std::string> names;
    for (std::string_view line; lines.next(line);) {
      const auto complain = [&](const char* what) {
        fail(ErrorKind::data, "{}:{}: expected {}, found {}: \"{}\"", lines.name(), lines.number(),
             places_.name_first ? "a name and its number" : "a number and its name", what, shown(line, kShownOfALine));
      };
      if (find_invalid_utf8(line) != std::string_view::npos) complain("bytes that are not UTF-8");
      const std::size_t cut = places_.name_first ? line.find_last_of(" \t") : line.find_first_of(" \t");
      if (cut == std::string_view::npos) complain("one field");
      const std::string_view before = line.substr(0, cut), behind = line.substr(cut + 1);
      const auto number = number_in<std::int32_t>(places_.name_first ? behind : before);
      if (!number || *number < 0) complain("no number");
      // Numbers may come in any order, but none is far beyond how many there can be.
      if (static_cast<std::uint64_t>(*number) > 2 * (lines.number() + (std::uint64_t{1} << 20)))
        complain("a number far too large");
      if (static_cast<std::size_t>(*number) >= names.size()) names.resize(static_cast<std::size_t>(*number) + 1);
      std::string& name = names[static_cast<std::size_t>(*number)];
      if (!name.empty()) complain("a number that was given before");
      name = layout_ == NumberedLayout::pykeen ? unquoted(behind) : std::string(places_.name_first ? before : behind);
      if (name.empty()) complain("an empty name");
    }
    return names;
  }

  void read_split(Split split) {
    const auto of_split = static_cast<std::size_t>(split);
    NumberedLines lines(file(places_.triples[of_split]), places_);
    const auto entities = static_cast<std::int32_t>(gatherer_.entities.size());
    const auto relations = static_cast<std::int32_t>(gatherer_.relations.size());
    const auto in = [](std::int32_t number, std::int32_t size) { return number >= 0 && number < size; };
    for (std::string_view line; lines.next(line);) {
      const auto numbers = three_numbers(line);
      const std::size_t relation = places_.relation_last ? 2 : 1, tail = places_.relation_last ? 1 : 2;
      if (numbers && in((*numbers)[0], entities) && in((*numbers)[relation], relations) &&
          in((*numbers)[tail], entities)) {
        gatherer_.triples[of_split].push_back({(*numbers)[0], (*numbers)[relation], (*numbers)[tail]});
        continue;
      }
      gatherer_.problems.add(
          lines.name(), lines.number(),
          {fmt::format("expected the numbers of {}, found {}: \"{}\"",
                       places_.relation_last ? "head, tail and relation" : "head, relation and tail",
                       numbers ? fmt::format("a number beyond the {} entities or {} relations", entities, relations)
                               : std::string("something else"),
                       shown(line, kShownOfALine)),
           0});
    }
  }

  void read_texts() {
    const auto text_file = [&](const char* name, TextLayout layout, Vocabulary& ids, HeldTexts& held) {
      std::error_code ignored;
      if (!fs::exists(folder_ / name, ignored)) return false;
      const std::string content = ByteSource::open((folder_ / name).string()).read_all();
      read_text_lines({(folder_ / name).string(), content}, layout, NewIds::leave_out, ids, held, gatherer_.problems,
                      texts_);
      return true;
    };
    const bool entities =
        text_file("entities.tsv", TextLayout::name_and_description, gatherer_.entities, gatherer_.entity_texts);
    const bool relations = text_file("relations.tsv", TextLayout::words, gatherer_.relations, gatherer_.relation_texts);
    if (layout_ != NumberedLayout::libkge) return;
    if (!entities) read_strings("entity_strings.del", gatherer_.entities, gatherer_.entity_texts, TextKind::name);
    if (!relations)
      read_strings("relation_strings.del", gatherer_.relations, gatherer_.relation_texts, TextKind::description);
  }

  void read_strings(const char* name, const Vocabulary& ids, HeldTexts& held, TextKind kind) {
    std::error_code ignored;
    if (!fs::exists(folder_ / name, ignored)) return;
    const std::vector<std::string> strings = read_names(folder_ / name);
    for (std::size_t i = 0; i < std::min(strings.size(), ids.size()); ++i) {
      if (!strings[i].empty()) held.replace(static_cast<std::int32_t>(i), kind, strings[i]);
    }
  }

  fs::path folder_;
  NumberedLayout layout_;
  const Places& places_;
  GraphGatherer gatherer_;
  TextFindings texts_;
};

}  // namespace

const char* to_string(NumberedLayout layout) {
  return layout == NumberedLayout::openke ? "OpenKE" : layout == NumberedLayout::libkge ? "LibKGE" : "PyKEEN";
}

std::optional<NumberedLayout> numbered_layout(const fs::path& folder) {
  std::error_code ignored;
  for (const NumberedLayout layout : {NumberedLayout::openke, NumberedLayout::libkge, NumberedLayout::pykeen}) {
    if (fs::exists(folder / places_of(layout).sign, ignored)) return layout;
  }
  return std::nullopt;
}

Graph read_numbered_folder(const fs::path& folder, NumberedLayout layout, const ImportOptions& options) {
  return NumberedFolder(folder, layout).read(options);
}

}  // namespace hasa
