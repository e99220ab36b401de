#include "hasa/kg/read_triples.h"

#include "hasa/base/error.h"
#include "hasa/kg/text_lines.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

/// What is read so far of one graph, file after file.
class TripleImport {
 public:
  explicit TripleImport(const ReadTriplesOptions& options) : options_(options), reader_(options.as, gatherer_) {}

  void read(ByteSource source, std::string_view blank_scope) { reader_.read(source, Split::train, blank_scope); }

  void read_entity_texts(ByteSource source) {
    if (!is_separated(source.name())) return reader_.read_texts(source);
    const std::string content = source.read_all();
    read_text_lines({source.name(), content}, TextLayout::optional_name_and_description, NewIds::leave_out,
                    gatherer_.entities, gatherer_.entity_texts, gatherer_.problems, entity_findings_);
    has_texts_ = true;
  }

  void read_relation_texts(ByteSource source) {
    if (!is_separated(source.name())) return reader_.read_texts(source);
    const std::string content = source.read_all();
    read_text_lines({source.name(), content}, TextLayout::words, NewIds::leave_out, gatherer_.relations,
                    gatherer_.relation_texts, gatherer_.problems, relation_findings_);
    has_relation_texts_ = true;
  }

  Graph finish(const std::string& source, const std::string& first_file) {
    const Finding bad_lines = gatherer_.problems.settle(options_.import.bad_lines);
    HASA_CHECK(!gatherer_.triples[0].empty(), data, "{} has no valid line{}", first_file,
               gatherer_.left_out.count > 0 ? ": all its values are literals, none is an entity" : "");
    const Finding without_triples = gatherer_.settle_entities_without_triples(/*listed=*/false);
    const Finding named = reader_.name_after_iris();
    std::vector<Triple> all = std::move(gatherer_.triples[0]);
    std::vector<std::int64_t> times = std::move(gatherer_.times[0]);
    GraphParts parts = gatherer_.take_parts();
    Audit& found = parts.found;
    found.source = source;
    found.bad_lines = bad_lines;
    found.named_after_iri = named;
    found.repeated_texts = entity_findings_.repeated;
    found.repeated_texts.append(relation_findings_.repeated);
    found.unused_texts = entity_findings_.unused;
    found.unused_texts.append(relation_findings_.unused);
    found.unused_texts.append(without_triples);
    if (has_texts_) found.unlisted = entity_findings_.unlisted;
    if (has_relation_texts_) found.unlisted_relations = relation_findings_.unlisted;
    const auto entities = static_cast<EntityId>(parts.entities.size());
    const auto relations = static_cast<RelationId>(parts.relations.size());
    found.dropped_duplicates = drop_duplicates(all, times, entities, [&](const Triple& t) {
      return fmt::format("{} {} {}", parts.entities[t.head], parts.relations[t.relation], parts.entities[t.tail]);
    });
    const std::vector<Split> labels = split_labels(all, times, entities, relations, options_.split);
    if (!times.empty()) parts.times = take_by_label(std::move(times), labels);
    parts.triples = take_by_label(std::move(all), labels);
    return Graph(std::move(parts));
  }

 private:
  const ReadTriplesOptions& options_;
  GraphGatherer gatherer_;
  StatementReader reader_;
  TextFindings entity_findings_, relation_findings_;
  bool has_texts_ = false, has_relation_texts_ = false;
};

std::string words_for(const std::vector<std::string>& files) {
  const std::string first = files[0] == "-" ? "standard input" : fs::path(files[0]).filename().string();
  return files.size() == 1 ? "triples " + first : fmt::format("triples {} and {} more", first, files.size() - 1);
}

}  // namespace

Graph parse_triples(const NamedText& triples, const std::optional<NamedText>& text, const ReadTriplesOptions& options,
                    const std::optional<NamedText>& relation_text) {
  TripleImport import(options);
  import.read(ByteSource::of_memory(triples.name, triples.content), "");
  if (text) import.read_entity_texts(ByteSource::of_memory(text->name, text->content));
  if (relation_text) import.read_relation_texts(ByteSource::of_memory(relation_text->name, relation_text->content));
  return import.finish(words_for({triples.name}), triples.name);
}

Graph read_triples(const std::vector<std::string>& files, const TextFiles& texts, const ReadTriplesOptions& options) {
  HASA_CHECK(!files.empty(), config, "there are no files of triples to read");
  TripleImport import(options);
  for (std::size_t i = 0; i < files.size(); ++i) {
    // A blank node's label means something in its own file alone.
    const std::string scope = files.size() == 1 ? "" : fmt::format("f{}-", i + 1);
    import.read(ByteSource::open(files[i]), scope);
  }
  for (const std::string& file : texts.entities) import.read_entity_texts(ByteSource::open(file));
  for (const std::string& file : texts.relations) import.read_relation_texts(ByteSource::open(file));
  return import.finish(words_for(files), files[0]);
}

}  // namespace hasa
