#include "hasa/kg/read/statement_file.h"

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/kg/read/json_lines.h"
#include "hasa/kg/read/ntriples.h"
#include "hasa/kg/read/turtle.h"

namespace hasa {

StatementReader::StatementReader(const StatementOptions& options, GraphGatherer& gatherer)
    : options_(options), texts_(options.languages), gatherer_(gatherer) {}

InputFormat format_of_file(const StatementOptions& options, const std::string& name, std::string_view beginning) {
  if (options.format != InputFormat::automatic) return options.format;
  const InputFormat by_name = format_by_name(name);
  return by_name != InputFormat::automatic ? by_name : format_by_look(beginning);
}

void StatementReader::read(ByteSource& source, Split split, std::string_view blank_scope) {
  const std::string& name = source.name();
  const InputFormat format = format_of_file(options_, name, without_byte_order_mark(source.beginning()));
  if (format == InputFormat::turtle || format == InputFormat::trig) {
    rdf_ = true;
    if (options_.format == InputFormat::automatic && format_by_name(name) != format)
      log_info("{}: it looks like Turtle and is read as such; --format overrides this", name);
    return read_turtle(source, format == InputFormat::trig, texts_, blank_scope, split, prefixes_, gatherer_);
  }
  Blocks blocks(source);
  HASA_CHECK(!blocks.beginning().empty(), data, "{} is empty, expected lines of head, relation and tail", name);
  if (format == InputFormat::ntriples) {
    rdf_ = true;
    return gatherer_.read(source, blocks, split, [&](std::string_view piece, bool, Statements& into) {
      parse_ntriples(piece, texts_, blank_scope, into);
    });
  }
  if (format == InputFormat::jsonl) {
    const std::size_t first = blocks.beginning().find_first_not_of(" \t\r\n");
    HASA_CHECK(
        first == std::string::npos || blocks.beginning()[first] != '[', data,
        "{} is a JSON array, expected JSON Lines: one object a line\njq -c '.[]' {} | hasa import - ... reads it", name,
        name);
    return gatherer_.read(source, blocks, split,
                          [](std::string_view piece, bool, Statements& into) { parse_json_lines(piece, into); });
  }
  DelimitedWishes wishes = options_.fields;
  if (options_.format == InputFormat::tsv && !wishes.separator) wishes.separator = '\t';
  if (options_.format == InputFormat::csv && !wishes.separator) wishes.separator = ',';
  if (options_.format == InputFormat::kgtk) wishes = {'\t', false, true, "node1,label,node2"};
  read_fields(source, blocks, split, wishes);
}

void StatementReader::read_fields(ByteSource& source, Blocks& blocks, Split split, DelimitedWishes wishes) {
  Sniffed sniffed = sniff_delimited(source.name(), blocks.beginning(), wishes);
  if (options_.format == InputFormat::kgtk) sniffed.as.kgtk = true;
  for (const std::string& said : sniffed.said) log_info("{}: {}", source.name(), said);
  for (const std::string& warning : sniffed.warning) log_warning("{}: {}", source.name(), warning);
  blocks.set_format(sniffed.as.format);
  gatherer_.read(source, blocks, split, [&](std::string_view piece, bool first, Statements& into) {
    parse_delimited(piece, first, sniffed.as, texts_, into);
  });
}

void StatementReader::read_texts(ByteSource& source) {
  std::vector<Triple>& triples = gatherer_.triples[0];
  std::vector<std::int64_t>& times = gatherer_.times[0];
  const std::size_t had = triples.size(), had_times = times.size();
  read(source, Split::train);
  triples.resize(had);
  times.resize(had_times);
}

Finding StatementReader::name_after_iris() {
  Finding named;
  if (!rdf_) return named;
  for (std::size_t e = 0; e < gatherer_.entities.size(); ++e) {
    const auto number = static_cast<std::int32_t>(e);
    if (!gatherer_.entity_texts.of(number, TextKind::name).empty()) continue;
    const std::string name = prefixes_.shortened(gatherer_.entities[e]);
    if (name.empty()) continue;
    gatherer_.entity_texts.replace(number, TextKind::name, name);
    ++named.count;
    if (named.examples.size() < Finding::kExamples) named.examples.emplace_back(gatherer_.entities[e]);
  }
  for (std::size_t r = 0; r < gatherer_.relations.size(); ++r) {
    const auto number = static_cast<std::int32_t>(r);
    if (gatherer_.relation_texts.has(number)) continue;
    const std::string name = prefixes_.shortened(gatherer_.relations[r]);
    if (!name.empty()) gatherer_.relation_texts.replace(number, TextKind::description, name);
  }
  return named;
}

}  // namespace hasa
