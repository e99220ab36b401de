#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/log.h"
#include "hasa/kg/write/export_graph.h"

namespace hasa {

void add_export(CLI::App& program) {
  struct ExportArguments {
    std::string graph, out, format;
  };
  CLI::App* command = program.add_subcommand("export", "write a graph and its texts as other programs read them");
  const auto options = std::make_shared<ExportArguments>();
  command->add_option("graph", options->graph, "folder written by hasa import")->required();
  command->add_option("--out", options->out, "folder to write; there must be none, or an empty one")->required();
  command
      ->add_option("--format", options->format,
                   "benchmark, tsv, csv, jsonl, ntriples, turtle, kgtk, openke, libkge or pykeen")
      ->required();
  command->callback([options] {
    const ExportFormat format = export_format_of(options->format);
    export_graph(Graph::open(options->graph), options->out, format);
    log_info("wrote {}", options->out);
  });
}

}  // namespace hasa
