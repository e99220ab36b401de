#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/serve/judged_triples.h"
#include "hasa/serve/link_file.h"
#include "output.h"

namespace hasa {
namespace {

struct ScoreArguments {
  std::string run, triples, out, graph, device;
};

/// Triples per block of results.
constexpr std::size_t kTriplesAtOnce = 1024;

Triple triple_on(std::string_view line, const ServedRun& run, const LiveState& state) {
  std::vector<std::string> fields;
  for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 1) {
    end = line.find('\t', at);
    fields.emplace_back(line.substr(at, end - at));
  }
  HASA_CHECK(fields.size() == 3, data, "expected head, relation and tail separated by tabs, found {} fields: {}",
             fields.size(), shown(line, 80));
  const RelationId relations = state.graph().relations();
  const Triple triple{run.lookup().entity(state, fields[0]), find_relation(state.graph(), fields[1]),
                      run.lookup().entity(state, fields[2])};
  return triple.relation < relations ? triple : inverse(triple, relations);
}

/// All errors in the file are reported before anything is scored.
std::vector<Triple> triples_in(const std::string& file, const ServedRun& run, const LiveState& state) {
  const std::string text = read_file(file);
  std::vector<Triple> triples;
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    try {
      triples.push_back(triple_on(line, run, state));
    } catch (const Error& error) {
      fail(ErrorKind::data, "{}:{}: {}", file, number, error.what());
    }
  }
  HASA_CHECK(!triples.empty(), data, "{} contains no triples", file);
  return triples;
}

void score(const ScoreArguments& options) {
  const LinkFormat format = options.out.empty() ? LinkFormat::tsv : link_format_of(options.out);
  HASA_CHECK(format != LinkFormat::ntriples, config, "--out {}: expected a file ending in .tsv or .jsonl", options.out);
  const auto run = ServedRun::open(options.run, {.graph = options.graph, .device = options.device});
  const auto state = run->state();
  const std::vector<Triple> triples = triples_in(options.triples, *run, *state);
  run->calibrate_if_cheap();
  std::unique_ptr<AtomicFile> file;
  if (!options.out.empty()) file = std::make_unique<AtomicFile>(options.out);
  const auto write = [&](const std::string& text) { file ? file->write(text) : print(text); };
  if (format == LinkFormat::tsv) write(judged_columns());
  Progress progress("scoring", triples.size(), "triples");
  for (std::size_t first = 0; first < triples.size(); first += kTriplesAtOnce) {
    const auto part = std::span(triples).subspan(first, std::min(kTriplesAtOnce, triples.size() - first));
    write(to_text(judged(*run, *state, part), *state, format));
    progress.advance(part.size());
  }
  progress.finish();
  if (!file) return;
  file->commit();
  log_info("wrote {}", options.out);
}

}  // namespace

void add_score(CLI::App& program) {
  CLI::App* command = program.add_subcommand("score", "score given triples, and rank them in both directions");
  const auto options = std::make_shared<ScoreArguments>();
  command->add_option("run", options->run, "folder written by hasa train")->required();
  command
      ->add_option("--triples", options->triples,
                   "TSV file with head, relation and tail by id or name, one triple per line")
      ->required();
  command->add_option("--out", options->out,
                      "file to write, .tsv or .jsonl; without it the table goes to standard output");
  command->add_option("--graph", options->graph, "the run's graph, if it has moved");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N; the default is the run's");
  command->callback([options] { score(*options); });
}

}  // namespace hasa
