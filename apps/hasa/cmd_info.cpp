#include <memory>
#include <string>

#include "commands.h"
#include "hasa/kg/graph.h"
#include "output.h"

namespace hasa {

void add_info(CLI::App& program) {
  struct InfoArguments {
    std::string graph;
    bool json = false;
  };
  CLI::App* command = program.add_subcommand("info", "what a graph contains, and what its import reported");
  const auto options = std::make_shared<InfoArguments>();
  command->add_option("graph", options->graph, "graph folder written by hasa import")->required();
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] {
    const Graph graph = Graph::open(options->graph);
    print(options->json ? to_json(graph.audit()) + "\n" : to_table(graph.audit()));
  });
}

}  // namespace hasa
