#include "hasa/study/systems_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/hash.h"
#include "hasa/job/evaluation.h"
#include "hasa/job/trained_run.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

bool is_ours(const std::string& name) { return name == "HaSa" || name == "HaSa+"; }

std::string kind_name(ContrastiveKind kind) {
  for (const auto& [each, name] : names_of(ContrastiveKind{})) {
    if (each == kind) return name;
  }
  return "";
}

std::string without_spaces_around(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

SystemKind parse_kind(const std::string& word, const std::string& text) {
  const std::map<std::string, SystemKind> kinds{
      {"classic", SystemKind::classic}, {"text", SystemKind::text}, {"hasa", SystemKind::hasa}};
  const auto found = kinds.find(word);
  HASA_CHECK(found != kinds.end(), config, "the system \"{}\" is of the kind \"{}\", expected classic, text or hasa",
             text, word);
  return found->second;
}

/// A row that is called HaSa or HaSa+ weighs hardness and corrects for false negatives; the plus is the second term.
void refuse_false_name(const RunConfig& config, const std::string& name, const std::string& what) {
  std::visit(
      [&](const auto& family) {
        if constexpr (requires { { family.loss } -> std::same_as<const ContrastiveConfig&>; }) {
          const ContrastiveConfig& loss = family.loss;
          const bool is_hasa = loss.kind == ContrastiveKind::hasa && loss.beta > 0 && loss.tau > 0;
          HASA_CHECK(is_hasa && loss.tail_to_query == (name == "HaSa+"), config,
                     "{} is called {}, but has loss.kind={}, loss.beta={:g}, loss.tau={:g}, loss.tail_to_query={}", what,
                     name, kind_name(loss.kind), loss.beta, loss.tau, loss.tail_to_query);
        } else {
          fail(ErrorKind::config, "{} is called {}, but model.type={} has no such loss", what, name, family.kTag);
        }
      },
      config.family);
}

/// A run that is there already, or one that has just been trained.
struct FoundRun {
  fs::path folder;
  StudyRun trained = {};  // epochs and seconds, where it was trained here
};

/// Its hashes are in run.json, so this stands for all of it.
std::string hash_of_run(const fs::path& folder) {
  const std::string text = read_file(folder / "run.json");
  return fmt::format("{:016x}", hash_bytes(text.data(), text.size()));
}

SystemRow ranked_row(const SystemsConfig& config, StudyContext& context, const StudyGraph& graph,
                     const SystemOptions& system, const FoundRun& run) {
  SystemRow row{.kind = system.kind, .runs = {system.name, system.recipe.set, {}}, .queries = 0};
  row.queries = 2 * std::ssize(graph.open().triples(Split::test));
  const std::string name = fmt::format("{}-{}-{}", graph.name, system.name, hash_of_run(run.folder));
  const auto file_of = [&](std::int64_t asked) {
    return context.folder() / "pieces" / fmt::format("{}-{}.tsv", name, asked == 0 ? "all" : std::to_string(asked));
  };
  fs::path file = file_of(0);
  std::error_code ignored;
  if (!fs::exists(file, ignored) && fs::exists(file_of(config.sample), ignored)) file = file_of(config.sample);
  if (!fs::exists(file, ignored)) {
    context.stop_if_asked();
    const EvaluatedRun opened =
        open_for_evaluation(run.folder.string(), graph.folder.string(), context.settings().device, /*memory=*/0);
    const double seconds = opened.scorer->cost().seconds_per_query * static_cast<double>(row.queries);
    const bool sampled = seconds > 60 * config.minutes && config.sample < row.queries;
    file = file_of(sampled ? config.sample : 0);
    const RankedSplit ranked =
        rank_run(opened, KnownAnswers::of_all_splits(*opened.graph), Split::test,
                 {.queries = sampled ? config.sample : 0}, ranking_within(opened, Split::test, /*memory=*/0));
    write_ranks(file, rank_rows(ranked.ranked, *opened.graph));
  }
  SeededRun one{.seed = config_of(Run::open(run.folder)).seed, .test = {}, .ranks = read_ranks(file)};
  one.test = metrics_of_rows(one.ranks);
  one.valid_mrr = run.trained.valid_mrr;
  one.epochs = run.trained.epochs;
  one.seconds = run.trained.seconds;
  one.folder = run.folder;
  row.runs.seeds.push_back(std::move(one));
  return row;
}

bool is_of_graph(const Run& run, const Graph& graph) {
  try {
    run.check_graph(graph);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// The run given for a system on a graph.
std::optional<FoundRun> given_run(const SystemsConfig& config, const std::string& system, const Graph& graph) {
  for (const std::string& each : config.runs) {
    const std::size_t equals = each.find('=');
    const fs::path folder = each.substr(equals + 1);
    if (each.substr(0, equals) == system && is_of_graph(Run::open(folder), graph)) return FoundRun{folder};
  }
  return std::nullopt;
}

void check_runs(const SystemsConfig& config, const std::vector<SystemOptions>& systems) {
  for (const std::string& each : config.runs) {
    const std::size_t equals = each.find('=');
    HASA_CHECK(equals != std::string::npos && equals > 0, config,
               "runs: \"{}\" names no system: expected NAME=FOLDER, such as RotatE=runs/wn18rr_rotate", each);
    const std::string name = each.substr(0, equals);
    HASA_CHECK(std::ranges::find(systems, name, &SystemOptions::name) != systems.end(), config,
               "runs: there is no system called {}\nadd it to systems", name);
    const Run run = Run::open(each.substr(equals + 1));
    if (is_ours(name)) refuse_false_name(config_of(run), name, run.folder().string());
  }
}

StudyResult run_systems(const SystemsConfig& config, StudyContext& context) {
  std::vector<SystemOptions> systems;
  for (const std::string& each : config.systems) systems.push_back(parse_system(each));
  check_runs(config, systems);
  for (const SystemOptions& system : systems) {
    for (const StudyGraph& graph : context.graphs()) {
      if (is_ours(system.name)) refuse_false_name(run_config_of(system.recipe, graph, 1), system.name, "a system");
    }
  }
  std::vector<SystemsTable> tables;
  for (const StudyGraph& graph : context.graphs()) {
    SystemsTable table{graph.name, {}};
    for (const SystemOptions& system : systems) {
      std::optional<FoundRun> run = given_run(config, system.name, graph.open());
      if (!run) {
        const StudyRun trained = context.train(fmt::format("{}-{}", graph.name, system.name),
                                               run_config_of(system.recipe, graph, /*seed=*/1));
        run = FoundRun{trained.folder, trained};
      }
      table.rows.push_back(ranked_row(config, context, graph, system, *run));
    }
    tables.push_back(std::move(table));
  }
  return systems_result(tables);
}

}  // namespace

SystemsConfig SystemsConfig::of(StudySize size) {
  SystemsConfig config;
  const auto add = [&](const char* name, const char* kind, const std::string& recipe) {
    config.systems.push_back(fmt::format("{} | {} | {}", name, kind, recipe));
  };
  const std::string hasa = " model.context_layers=0 loss.kind=hasa loss.beta=0.1 loss.tau=1e-3";
  switch (size) {
    case StudySize::tiny: {
      const std::string small = "train.epochs=1 train.batch=256";
      add("TransE", "classic", "model.type=transe model.dim=16 " + small);
      add("RotatE", "classic", "model.type=rotate model.dim=16 " + small);
      const std::string text = small + " model.dim=16 optimiser.lr=5e-3";
      add("MiniLM", "text", text + " model.context_layers=0");
      add("HaSa", "hasa", text + hasa);
      add("HaSa+", "hasa", text + hasa + " loss.tail_to_query=true");
      break;
    }
    case StudySize::quick: {
      const std::string tables = "model.dim=64 train.epochs=6 train.batch=256 train.validate_every=6 ";
      const std::string sampled =
          tables +
          "tables.training=negative_sampling tables.negatives=128 optimiser.kind=adamw optimiser.weight_decay=0 ";
      const std::string all_entities =
          tables +
          "tables.training=one_vs_all tables.loss=cross_entropy optimiser.kind=adagrad optimiser.lr=0.3 "
          "optimiser.weight_decay=0 ";
      add("TransE", "classic", "model.type=transe tables.loss=cross_entropy optimiser.lr=5e-3 " + sampled);
      add("RotatE", "classic",
          "model.type=rotate tables.loss=self_adversarial tables.offset=6 optimiser.lr=5e-3 " + sampled);
      add("DistMult", "classic", "model.type=distmult " + all_entities);
      add("ComplEx", "classic", "model.type=complex " + all_entities);
      const std::string text = fmt::format("{}", fmt::join(quick_recipe().set, " "));
      add("MiniLM", "text", text);
      add("HaSa", "hasa", text + hasa);
      add("HaSa+", "hasa", text + hasa + " loss.tail_to_query=true");
      break;
    }
    case StudySize::full: {
      add("TransE", "classic", "configs/{graph}_transe.yaml");
      add("RotatE", "classic", "configs/{graph}_rotate.yaml");
      add("DistMult", "classic", "configs/{graph}_distmult.yaml");
      add("ComplEx", "classic", "configs/{graph}_complex.yaml");
      add("KBGAN", "classic", "configs/{graph}_kbgan.yaml");
      add("KG-BERT", "text", "configs/{graph}_kgbert.yaml");
      add("StAR", "text", "configs/{graph}_star.yaml");
      add("LASS", "text", "configs/{graph}_lass.yaml");
      add("HaSa", "hasa", "configs/{graph}_study-losses.yaml loss.tail_to_query=false");
      add("HaSa+", "hasa", "configs/{graph}_study-losses.yaml loss.tail_to_query=true");
      break;
    }
  }
  return config;
}

SystemOptions parse_system(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '|');) parts.push_back(without_spaces_around(part));
  HASA_CHECK(parts.size() == 3 && !parts[0].empty(), config,
             "the system \"{}\" is not NAME | KIND | FILE KEY=VALUE ..., such as RotatE | classic | "
             "configs/{{graph}}_rotate.yaml",
             text);
  SystemOptions system{.name = parts[0], .kind = parse_kind(parts[1], text), .recipe = {}};
  std::istringstream words(parts[2]);
  for (std::string word; words >> word;) {
    if (word.find('=') != std::string::npos) {
      system.recipe.set.push_back(word);
    } else {
      HASA_CHECK(system.recipe.config.empty() && system.recipe.set.empty(), config,
                 "the system \"{}\": \"{}\" is neither KEY=VALUE nor the one file at the beginning", text, word);
      system.recipe.config = word;
    }
  }
  return system;
}

Difference difference_of(const SystemRow& a, const SystemRow& b, RankMetric metric) {
  using Key = std::tuple<std::string, std::string, std::string, bool>;
  const auto key = [](const RankRow& row) { return Key{row.head, row.relation, row.tail, row.asks_tail}; };
  const auto common = [&](const SystemRow& of, const SystemRow& with) {
    std::set<Key> there;
    for (const RankRow& row : with.runs.seeds.at(0).ranks) there.insert(key(row));
    SeededRuns runs = of.runs;
    std::erase_if(runs.seeds.at(0).ranks, [&](const RankRow& row) { return !there.contains(key(row)); });
    return runs;
  };
  if (a.runs.seeds.at(0).ranks.size() == b.runs.seeds.at(0).ranks.size())
    return difference_over_seeds(a.runs, b.runs, metric);
  return difference_over_seeds(common(a, b), common(b, a), metric);
}

Study systems_study() {
  return make_study<SystemsConfig>(
      "systems", "HaSa and HaSa+ beside other systems, by one protocol (the paper's Table 3)", run_systems);
}

}  // namespace hasa
