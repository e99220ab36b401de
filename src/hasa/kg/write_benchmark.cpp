#include "hasa/kg/write_benchmark.h"

#include <algorithm>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/file.h"

namespace hasa {
namespace {

std::string_view checked_id(std::string_view id) {
  HASA_CHECK(id.find_first_of("\t\n\r") == std::string_view::npos, data,
             "the id \"{}\" holds a tab or a line break, which the benchmark layout cannot", id);
  return id;
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return line;
}

}  // namespace

void write_benchmark(const Graph& graph, const std::filesystem::path& folder) {
  std::error_code ignored;
  HASA_CHECK(!std::filesystem::exists(folder, ignored) || std::filesystem::is_empty(folder, ignored), data,
             "{} is there already; it was left alone\nchoose another place", folder.string());
  AtomicFolder writing(folder);
  for (const Split split : kSplits) {
    AtomicFile file(writing.path() / fmt::format("{}.txt", to_string(split)));
    for (const Triple& t : graph.triples(split))
      file.write(fmt::format("{}\t{}\t{}\n", checked_id(graph.entity_id(t.head)),
                             checked_id(graph.relation_id(t.relation)), checked_id(graph.entity_id(t.tail))));
    file.commit();
  }
  AtomicFile entities(writing.path() / "entities.tsv");
  for (EntityId e = 0; e < graph.entities(); ++e)
    entities.write(fmt::format("{}\t{}\t{}\n", checked_id(graph.entity_id(e)),
                               graph.has_name(e) ? on_one_line(graph.entity_name(e)) : "",
                               on_one_line(graph.entity_description(e))));
  entities.commit();
  AtomicFile relations(writing.path() / "relations.tsv");
  for (RelationId r = 0; r < graph.relations(); ++r)
    relations.write(fmt::format("{}\t{}\n", checked_id(graph.relation_id(r)),
                                graph.has_relation_text(r) ? on_one_line(graph.relation_text(r)) : ""));
  relations.commit();
  writing.commit();
}

}  // namespace hasa
