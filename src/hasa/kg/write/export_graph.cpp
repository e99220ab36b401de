#include "hasa/kg/write/export_graph.h"

#include <array>
#include <utility>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/kg/write/folder_writer.h"
#include "hasa/kg/write_benchmark.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

using ExportWord = std::pair<ExportFormat, const char*>;
constexpr std::array kExportWords = {
    ExportWord{ExportFormat::benchmark, "benchmark"},
    ExportWord{ExportFormat::tsv, "tsv"},
    ExportWord{ExportFormat::csv, "csv"},
    ExportWord{ExportFormat::jsonl, "jsonl"},
    ExportWord{ExportFormat::ntriples, "ntriples"},
    ExportWord{ExportFormat::turtle, "turtle"},
    ExportWord{ExportFormat::kgtk, "kgtk"},
    ExportWord{ExportFormat::openke, "openke"},
    ExportWord{ExportFormat::libkge, "libkge"},
    ExportWord{ExportFormat::pykeen, "pykeen"},
};

bool holds_times(ExportFormat format) {
  return format == ExportFormat::tsv || format == ExportFormat::csv || format == ExportFormat::jsonl;
}

}  // namespace

ExportFormat export_format_of(std::string_view wanted) {
  std::vector<std::string> words;
  for (const auto& [format, word] : kExportWords) {
    if (wanted == word) return format;
    words.emplace_back(word);
  }
  fail(ErrorKind::config, "there is no format {}; expected one of {}", wanted, fmt::join(words, ", "));
}

void export_graph(const Graph& graph, const fs::path& folder, ExportFormat format) {
  if (graph.has_times() && !holds_times(format))
    log_warning("the times of the triples are left out; tsv, csv and jsonl keep them");
  if (format == ExportFormat::benchmark) return write_benchmark(graph, folder);
  std::error_code ignored;
  HASA_CHECK(!fs::exists(folder, ignored) || fs::is_empty(folder, ignored), data,
             "{} already exists; it was left alone\nchoose another place", folder.string());
  AtomicFolder writing(folder);
  switch (format) {
    case ExportFormat::benchmark: break;
    case ExportFormat::tsv: write_tsv(graph, writing.path()); break;
    case ExportFormat::csv: write_csv(graph, writing.path()); break;
    case ExportFormat::jsonl: write_json_lines(graph, writing.path()); break;
    case ExportFormat::ntriples: write_ntriples(graph, writing.path()); break;
    case ExportFormat::turtle: write_turtle(graph, writing.path()); break;
    case ExportFormat::kgtk: write_kgtk(graph, writing.path()); break;
    case ExportFormat::openke: write_openke(graph, writing.path()); break;
    case ExportFormat::libkge: write_libkge(graph, writing.path()); break;
    case ExportFormat::pykeen: write_pykeen(graph, writing.path()); break;
  }
  writing.commit();
}

}  // namespace hasa
