#include <memory>
#include <string>

#include "commands.h"
#include "hasa/audit/graph_audit.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "output.h"

namespace hasa {

void add_audit(CLI::App& program) {
  struct AuditArguments {
    std::string graph, html;
    bool json = false;
  };
  CLI::App* command = program.add_subcommand("audit", "audit a graph: leaks, gaps, and what trivial rules reach");
  const auto options = std::make_shared<AuditArguments>();
  command->add_option("graph", options->graph, "graph folder written by hasa import")->required();
  command->add_option("--html", options->html, "write a page with charts to this file");
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] {
    const GraphAudit audit = audit_graph(Graph::open(options->graph));
    if (!options->html.empty()) {
      write_file(options->html, to_html(audit));
      log_info("wrote {}", options->html);
    }
    print(options->json ? to_json(audit) : to_table(audit));
  });
}

}  // namespace hasa
