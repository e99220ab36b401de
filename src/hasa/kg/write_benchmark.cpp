#include "hasa/kg/write_benchmark.h"

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/kg/write/folder_writer.h"

namespace hasa {
void write_benchmark(const Graph& graph, const std::filesystem::path& folder) {
  std::error_code ignored;
  HASA_CHECK(!std::filesystem::exists(folder, ignored) || std::filesystem::is_empty(folder, ignored), data,
             "{} already exists; it was left alone\nchoose another place", folder.string());
  AtomicFolder writing(folder);
  for (const Split split : kSplits) {
    AtomicFile file(writing.path() / fmt::format("{}.txt", to_string(split)));
    if (!graph.triples(split).empty()) file.write(mark_before(graph.entity_id(graph.triples(split)[0].head)));
    for (const Triple& t : graph.triples(split))
      file.write(fmt::format("{}\t{}\t{}\n", checked_line_id(graph.entity_id(t.head)),
                             checked_line_id(graph.relation_id(t.relation)), checked_line_id(graph.entity_id(t.tail))));
    file.commit();
  }
  write_text_tables(graph, writing.path());
  writing.commit();
}

}  // namespace hasa
