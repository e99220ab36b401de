#include "hasa/kg/read_benchmark.h"

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/kg/read/blocks.h"
#include "hasa/kg/read/delimited.h"
#include "hasa/kg/read/graph_gatherer.h"
#include "hasa/kg/text_lines.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 3> kTripleFiles = {"train.txt", "valid.txt", "test.txt"};

std::string missing_file(const fs::path& folder, const char* name) {
  return fmt::format(
      "{} has no {}; a benchmark folder has train.txt, valid.txt and test.txt\n"
      "a single file of triples can be imported and split by itself: hasa import FILE --out GRAPH",
      folder.string(), name);
}

/// Those that only triples name, which come behind the listed ones.
void add_from(const Vocabulary& ids, std::size_t first, Finding& unlisted) {
  for (std::size_t i = first; i < ids.size(); ++i) unlisted.add(std::string(ids[i]));
}

}  // namespace

bool looks_like_benchmark(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : kTripleFiles) {
    if (fs::exists(folder / name, ignored)) return true;
  }
  return false;
}

Graph parse_benchmark(const BenchmarkTexts& texts, const ImportOptions& options) {
  GraphGatherer gatherer;
  TextFindings entity_findings, relation_findings;
  if (texts.entities)
    read_text_lines(*texts.entities, TextLayout::name_and_description, NewIds::add, gatherer.entities,
                    gatherer.entity_texts, gatherer.problems, entity_findings);
  if (texts.relations)
    read_text_lines(*texts.relations, TextLayout::words, NewIds::add, gatherer.relations, gatherer.relation_texts,
                    gatherer.problems, relation_findings);
  const std::size_t listed = gatherer.entities.size(), listed_relations = gatherer.relations.size();
  const std::array<const NamedText*, 3> files = {&texts.train, &texts.valid, &texts.test};
  const RdfTexts no_texts({});
  std::array<std::uint64_t, 3> bad_in = {};
  for (const Split split : kSplits) {
    const NamedText& file = *files[static_cast<std::size_t>(split)];
    if (split == Split::train) check_not_empty(file, triple_shape(RecordFormat::tsv).expected);
    const std::uint64_t bad_before = gatherer.problems.count();
    ByteSource source = ByteSource::of_memory(file.name, file.content);
    Blocks blocks(source);
    gatherer.read(source, blocks, split, [&](std::string_view piece, bool first, Statements& into) {
      parse_delimited(piece, first, {}, no_texts, into);
    });
    bad_in[static_cast<std::size_t>(split)] = gatherer.problems.count() - bad_before;
  }
  const Finding bad_lines = gatherer.problems.settle(options.bad_lines);
  for (const Split split : kSplits) {
    const auto i = static_cast<std::size_t>(split);
    check_split(files[i]->name, split, gatherer.triples[i].size(), bad_in[i]);
  }
  GraphParts parts = gatherer.take_parts();
  parts.found.source = texts.source;
  parts.found.bad_lines = bad_lines;
  parts.found.repeated_texts = entity_findings.repeated;
  parts.found.repeated_texts.append(relation_findings.repeated);
  if (texts.entities) add_from(parts.entities, listed, parts.found.unlisted);
  if (texts.relations) add_from(parts.relations, listed_relations, parts.found.unlisted_relations);
  return Graph(std::move(parts));
}

Graph read_benchmark(const fs::path& folder, const ImportOptions& options) {
  std::error_code ignored;
  HASA_CHECK(fs::exists(folder, ignored), data, "there is no folder {}", folder.string());
  HASA_CHECK(fs::is_directory(folder, ignored), data, "{} is not a folder", folder.string());
  for (const char* name : kTripleFiles) {
    if (!fs::exists(folder / name, ignored)) throw Error(ErrorKind::data, missing_file(folder, name));
  }
  std::array<MappedFile, 5> files;
  const auto map = [&](MappedFile& file, const char* name) {
    file = MappedFile(folder / name);
    return NamedText{(folder / name).string(), file.text()};
  };
  const fs::path last = folder.has_filename() ? folder : folder.parent_path();
  BenchmarkTexts texts{"benchmark " + last.filename().string(),
                       map(files[0], "train.txt"),
                       map(files[1], "valid.txt"),
                       map(files[2], "test.txt"),
                       {},
                       {}};
  if (fs::exists(folder / "entities.tsv", ignored)) texts.entities = map(files[3], "entities.tsv");
  if (fs::exists(folder / "relations.tsv", ignored)) texts.relations = map(files[4], "relations.tsv");
  return parse_benchmark(texts, options);
}

}  // namespace hasa
