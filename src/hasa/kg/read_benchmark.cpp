#include "hasa/kg/read_benchmark.h"

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/kg/text_lines.h"
#include "hasa/kg/triple_lines.h"

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

}  // namespace

bool looks_like_benchmark(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : kTripleFiles) {
    if (fs::exists(folder / name, ignored)) return true;
  }
  return false;
}

Graph parse_benchmark(const BenchmarkTexts& texts, const ImportOptions& options) {
  GraphParts parts;
  parts.found.source = texts.source;
  LineProblems problems;
  Finding unused;  // stays empty: all ids are added
  std::optional<TextLines> entity_texts, relation_texts;
  if (texts.entities)
    entity_texts.emplace(*texts.entities, TextLayout::name_and_description, NewIds::add, parts.entities, problems,
                         parts.found.repeated_texts, unused);
  if (texts.relations)
    relation_texts.emplace(*texts.relations, TextLayout::words, NewIds::add, parts.relations, problems,
                           parts.found.repeated_texts, unused);
  const std::array<const NamedText*, 3> files = {&texts.train, &texts.valid, &texts.test};
  for (std::size_t i = 0; i < files.size(); ++i)
    parts.triples[i] =
        read_triple_lines(*files[i], RecordFormat::tsv, false, parts.entities, parts.relations, problems);
  parts.found.bad_lines = problems.settle(options.bad_lines);
  for (std::size_t i = 0; i < files.size(); ++i)
    HASA_CHECK(!parts.triples[i].empty(), data, "{} has not one good line", files[i]->name);

  if (entity_texts) {
    parts.names = entity_texts->names(parts.entities.size());
    parts.descriptions = entity_texts->descriptions(parts.entities.size());
    entity_texts->find_unlisted(parts.entities, parts.found.unlisted);
  }
  if (relation_texts) {
    parts.relation_texts = relation_texts->descriptions(parts.relations.size());
    relation_texts->find_unlisted(parts.relations, parts.found.unlisted_relations);
  }
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
