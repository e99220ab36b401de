#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/log.h"
#include "hasa/kg/write/export_graph.h"
#include "hasa/run/run.h"
#include "hasa/serve/export_run.h"

namespace hasa {

void add_export(CLI::App& program) {
  struct ExportArguments {
    std::string from, out, format, graph, device;
  };
  CLI::App* command =
      program.add_subcommand("export", "write a graph, or what a run has learned, in other programs' formats");
  const auto options = std::make_shared<ExportArguments>();
  command->add_option("from", options->from, "graph or run folder, written by hasa import or hasa train")
      ->required();
  command->add_option("--out", options->out, "folder to write; it must not exist, or be empty")->required();
  command
      ->add_option(
          "--format", options->format,
          "for a graph: benchmark, tsv, csv, jsonl, ntriples, turtle, kgtk, openke, libkge or pykeen; for a run: npy, "
          "safetensors or faiss for its entity vectors, sentence-transformers for its fine-tuned language model")
      ->required();
  command->add_option("--graph", options->graph, "the run's graph, if it has been moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->callback([options] {
    if (Run::is_run(options->from)) {
      export_run(options->from, options->out, {run_export_of(options->format), options->graph, options->device});
    } else {
      export_graph(Graph::open(options->from), options->out, export_format_of(options->format));
    }
    log_info("wrote {}", options->out);
  });
}

}  // namespace hasa
