// TSV, CSV and JSON Lines.

#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/kg/write/folder_writer.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos && text.find_first_not_of(' ') != std::string_view::npos)
    return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += '"';
  }
  return quoted + "\"";
}

/// " ,2014" or "": the time of a split's triple i, where there is one.
std::string time_field(const Graph& graph, Split split, std::size_t i, char separator) {
  if (!graph.has_times()) return "";
  const auto times = graph.times(split);
  const bool known = !times.empty() && times[i] != INT64_MIN;
  return known ? fmt::format("{}{}", separator, times[i]) : std::string(1, separator);
}

using ExportJson = nlohmann::ordered_json;

void write_json(AtomicFile& file, const ExportJson& object) { file.write(object.dump() + "\n"); }

/// A file of triples for each split, with a line of column names.
template <class Escape>
void write_triples(const Graph& graph, const fs::path& folder, const char* ending, char separator,
                   const Escape& escaped) {
  for (const Split split : kSplits) {
    AtomicFile file(folder / fmt::format("{}.{}", to_string(split), ending));
    file.write(fmt::format("head{0}relation{0}tail{1}\n", separator,
                           graph.has_times() ? fmt::format("{}time", separator) : ""));
    const auto triples = graph.triples(split);
    for (std::size_t i = 0; i < triples.size(); ++i)
      file.write(fmt::format("{1}{0}{2}{0}{3}{4}\n", separator, escaped(graph.entity_id(triples[i].head)),
                             escaped(graph.relation_id(triples[i].relation)), escaped(graph.entity_id(triples[i].tail)),
                             time_field(graph, split, i, separator)));
    file.commit();
  }
}

}  // namespace

std::string_view checked_line_id(std::string_view id) {
  HASA_CHECK(
      id.find_first_of("\t\n\r") == std::string_view::npos, data,
      "the id \"{}\" contains a tab or a line break, which this format cannot represent\n--format csv or jsonl can",
      id);
  return id;
}

std::string_view mark_before(std::string_view first_id) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return first_id.starts_with(kMark) ? kMark : "";
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return line;
}

void write_text_tables(const Graph& graph, const fs::path& folder) {
  AtomicFile entities(folder / "entities.tsv");
  if (graph.entities() > 0) entities.write(mark_before(graph.entity_id(0)));
  for (EntityId e = 0; e < graph.entities(); ++e)
    entities.write(fmt::format("{}\t{}\t{}\n", checked_line_id(graph.entity_id(e)),
                               on_one_line(name_or_nothing(graph, e)), on_one_line(graph.entity_description(e))));
  entities.commit();
  AtomicFile relations(folder / "relations.tsv");
  if (graph.relations() > 0) relations.write(mark_before(graph.relation_id(0)));
  for (RelationId r = 0; r < graph.relations(); ++r)
    relations.write(fmt::format("{}\t{}\n", checked_line_id(graph.relation_id(r)),
                                on_one_line(relation_text_or_nothing(graph, r))));
  relations.commit();
}

void write_tsv(const Graph& graph, const fs::path& folder) {
  write_triples(graph, folder, "tsv", '\t', checked_line_id);
  write_text_tables(graph, folder);
}

void write_csv(const Graph& graph, const fs::path& folder) {
  write_triples(graph, folder, "csv", ',', csv_field);
  AtomicFile entities(folder / "entities.csv");
  entities.write("id,name,description\n");
  for (EntityId e = 0; e < graph.entities(); ++e)
    entities.write(fmt::format("{},{},{}\n", csv_field(graph.entity_id(e)), csv_field(name_or_nothing(graph, e)),
                               csv_field(graph.entity_description(e))));
  entities.commit();
  AtomicFile relations(folder / "relations.csv");
  relations.write("id,words\n");
  for (RelationId r = 0; r < graph.relations(); ++r)
    relations.write(
        fmt::format("{},{}\n", csv_field(graph.relation_id(r)), csv_field(relation_text_or_nothing(graph, r))));
  relations.commit();
}

void write_json_lines(const Graph& graph, const fs::path& folder) {
  for (const Split split : kSplits) {
    AtomicFile file(folder / fmt::format("{}.jsonl", to_string(split)));
    const auto triples = graph.triples(split);
    for (std::size_t i = 0; i < triples.size(); ++i) {
      const Triple& t = triples[i];
      ExportJson object = {{"head", graph.entity_id(t.head)},
                           {"relation", graph.relation_id(t.relation)},
                           {"tail", graph.entity_id(t.tail)}};
      if (!graph.times(split).empty() && graph.times(split)[i] != INT64_MIN) object["time"] = graph.times(split)[i];
      write_json(file, object);
    }
    file.commit();
  }
  AtomicFile entities(folder / "entities.jsonl");
  for (EntityId e = 0; e < graph.entities(); ++e) {
    ExportJson object = {{"entity", graph.entity_id(e)}};
    if (graph.has_name(e)) object["name"] = graph.entity_name(e);
    if (!graph.entity_description(e).empty()) object["description"] = graph.entity_description(e);
    write_json(entities, object);
  }
  entities.commit();
  AtomicFile relations(folder / "relations.jsonl");
  for (RelationId r = 0; r < graph.relations(); ++r) {
    ExportJson object = {{"relation", graph.relation_id(r)}};
    if (graph.has_relation_text(r)) object["text"] = graph.relation_text(r);
    write_json(relations, object);
  }
  relations.commit();
}

}  // namespace hasa
