#include "hasa/kg/read_triples.h"

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/kg/text_lines.h"
#include "hasa/kg/triple_lines.h"

namespace hasa {
namespace fs = std::filesystem;

Graph parse_triples(const NamedText& triples, const std::optional<NamedText>& text, const ReadTriplesOptions& options,
                    const std::optional<NamedText>& relation_text) {
  const RecordFormat format = options.format == TripleFormat::by_name ? format_of(triples.name)
                              : options.format == TripleFormat::csv   ? RecordFormat::csv
                                                                      : RecordFormat::tsv;
  GraphParts parts;
  parts.found.source = "triples " + fs::path(triples.name).filename().string();
  LineProblems problems;
  std::vector<Triple> all =
      read_triple_lines(triples, format, options.header, parts.entities, parts.relations, problems);
  std::optional<TextLines> texts, relation_texts;
  if (text)
    texts.emplace(*text, TextLayout::optional_name_and_description, NewIds::leave_out, parts.entities, problems,
                  parts.found.repeated_texts, parts.found.unused_texts);
  if (relation_text)
    relation_texts.emplace(*relation_text, TextLayout::words, NewIds::leave_out, parts.relations, problems,
                           parts.found.repeated_texts, parts.found.unused_texts);
  parts.found.bad_lines = problems.settle(options.import.bad_lines);
  HASA_CHECK(!all.empty(), data, "{} has not one good line", triples.name);

  if (texts) {
    parts.names = texts->names(parts.entities.size());
    parts.descriptions = texts->descriptions(parts.entities.size());
    texts->find_unlisted(parts.entities, parts.found.unlisted);
  }
  if (relation_texts) {
    parts.relation_texts = relation_texts->descriptions(parts.relations.size());
    relation_texts->find_unlisted(parts.relations, parts.found.unlisted_relations);
  }
  const auto entities = static_cast<EntityId>(parts.entities.size());
  const auto relations = static_cast<RelationId>(parts.relations.size());
  parts.found.dropped_duplicates = drop_duplicates(all, entities, [&](const Triple& t) {
    return fmt::format("{} {} {}", parts.entities[t.head], parts.relations[t.relation], parts.entities[t.tail]);
  });
  parts.triples = split_triples(std::move(all), entities, relations, options.split);
  return Graph(std::move(parts));
}

Graph read_triples(const fs::path& file, const fs::path& text, const ReadTriplesOptions& options,
                   const fs::path& relation_text) {
  const MappedFile triples(file);
  MappedFile texts, relation_texts;
  const auto map = [](MappedFile& mapped, const fs::path& path) -> std::optional<NamedText> {
    if (path.empty()) return std::nullopt;
    mapped = MappedFile(path);
    return NamedText{path.string(), mapped.text()};
  };
  const auto named_text = map(texts, text);
  return parse_triples({file.string(), triples.text()}, named_text, options, map(relation_texts, relation_text));
}

}  // namespace hasa
