#include <memory>
#include <string>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/kg/graph_file.h"
#include "hasa/kg/resplit.h"
#include "option_checks.h"
#include "output.h"

namespace hasa {

void add_split(CLI::App& program) {
  struct SplitArguments {
    std::string graph, out, by = "random";
    bool json = false;
    SplitOptions split;
  };
  CLI::App* command = program.add_subcommand("split", "split a graph's triples into train, valid and test anew");
  const auto options = std::make_shared<SplitArguments>();
  command->add_option("graph", options->graph, "graph folder written by hasa import")->required();
  command->add_option("--out", options->out, "graph folder to write; an existing graph there is replaced")->required();
  command
      ->add_option("--by", options->by,
                   "random; stratified: the same fraction of each relation; inductive: whole entities held out; time: "
                   "the latest triples for testing; leakage-free: no triple has its reverse or a twin in another split")
      ->capture_default_str();
  command->add_option("--valid", options->split.valid, "fraction of the triples for validation")->capture_default_str();
  command->add_option("--test", options->split.test, "fraction of the triples for testing")->capture_default_str();
  command->add_option("--unseen", options->split.unseen_entities, "fraction of the entities kept out of training")
      ->capture_default_str();
  command->add_option("--seed", options->split.seed, "seed of the split")->check(not_negative())->capture_default_str();
  command->add_flag("--json", options->json, "one JSON document");
  command->callback([options] {
    HASA_CHECK(!options->out.empty(), config, "--out is empty: give the folder to write");
    options->split.kind = split_kind_of(options->by);
    check_graph_place(options->out);
    const Graph graph = resplit(Graph::open(options->graph), options->split);
    graph.save(options->out);
    log_info("wrote {}", options->out);
    print(options->json ? to_json(graph.audit()) + "\n" : to_table(graph.audit()));
  });
}

}  // namespace hasa
