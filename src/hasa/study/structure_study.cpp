#include "hasa/study/structure_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/eval/metrics.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/frozen/drawn_candidates.h"
#include "hasa/job/resolve_schedule.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/known_answers.h"
#include "hasa/kg/neighbours.h"
#include "hasa/study/hold_out.h"
#include "hasa/study/shared_texts.h"

namespace hasa {
namespace {

using StructureJson = nlohmann::ordered_json;

constexpr std::size_t kCountedBatches = 20;

double number_of(const std::string& text, const char* option, double low, double high) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  HASA_CHECK(!text.empty() && *end == '\0' && number >= low && number < high, config,
             "{}: {} is not a number from {:g} to below {:g}", option, text, low, high);
  return number;
}

/// 0 for all entities, as many as are asked for or not.
std::int64_t candidates_of(const std::string& text, EntityId entities) {
  const auto candidates = static_cast<std::int64_t>(number_of(text, "candidates", 0, 1e9));
  return candidates >= entities ? 0 : candidates;
}

/// A graph that triples are left out of, by one seed.
struct Thinned {
  StudyGraph whole, retained;
  std::uint64_t seed = 1;
};

StructureFigures figures_of_run(const StructureConfig& config, StudyContext& context, const Thinned& graphs,
                                const std::string& name, const std::vector<std::string>& options) {
  RunConfig run_config = run_config_of(config.recipe, graphs.retained, graphs.seed, options);
  share_texts(graphs.whole, graphs.retained, run_config, context);
  const StudyRun run = context.train(fmt::format("{}-{}", graphs.retained.name, name), run_config);
  const auto test_mrr = [&]() -> StructureJson {
    const Graph whole = graphs.whole.open();
    const TrainedRun opened =
        open_trained(Run::open(run.folder), graphs.retained.folder.string(), context.settings().device);
    return metrics_of(rank_split(*opened.scorer, *opened.graph, KnownAnswers::of_all_splits(whole), Split::test)).mrr;
  };
  const std::string stamp = run.folder.filename().string();
  return {run.valid_mrr, context.piece(stamp, {{"run", stamp}}, test_mrr).get<double>()};
}

StructureSeed run_seed(const StructureConfig& config, StudyContext& context, const Thinned& graphs,
                       const StructureCondition& condition) {
  const std::string candidates = fmt::format("negatives.candidates={}", condition.candidates);
  const auto figures = [&](const char* name, const std::vector<std::string>& options) {
    std::vector<std::string> all{candidates};
    all.insert(all.end(), options.begin(), options.end());
    return figures_of_run(config, context, graphs, name, all);
  };
  StructureSeed seed;
  RunConfig schedule = run_config_of(config.recipe, graphs.retained, graphs.seed);
  resolve_schedule(schedule, graphs.retained.open());
  const std::int64_t batch = schedule_of(schedule)->batch;
  seed.false_negatives =
      context
          .piece(fmt::format("{}-candidates-{}-batch-{}", graphs.retained.name, condition.candidates, batch),
                 {{"whole", StudyContext::fingerprint(graphs.whole.open())}},
                 [&]() -> StructureJson {
                   return false_negatives_of_a_query(graphs.whole.open(), graphs.retained.open(), condition.candidates,
                                                     batch, graphs.seed);
                 })
          .get<double>();
  seed.hard = figures("hard", {"loss.kind=hard"});
  seed.oracle = figures("oracle", {"loss.kind=hard", "negatives.truths=" + graphs.whole.folder.string()});
  for (const std::string& tau : condition.taus)
    seed.hasa.push_back(figures("hasa", {"loss.kind=hasa", "loss.tau=" + tau}));
  return seed;
}

double mean_degree(const Graph& graph) {
  return static_cast<double>(Neighbours(Adjacency(graph)).num_ends()) / static_cast<double>(graph.entities());
}

StudyResult run_structure(const StructureConfig& config, StudyContext& context) {
  for (const std::string& tau : config.taus)
    HASA_CHECK(number_of(tau, "taus", 0, 1) > 0, config, "taus: at 0 HaSa is Hard InfoNCE; name values above it");
  HASA_CHECK(!config.taus.empty(), config, "taus: HaSa has none to choose from");
  std::vector<StudyGraph> graphs = context.graphs();
  for (const std::string& source : config.further) graphs.push_back(context.graph_from(source));
  std::vector<StructureCondition> conditions;
  for (const StudyGraph& graph : graphs) {
    const Graph whole = graph.open();
    for (const std::string& share : config.left_out) {
      for (const std::string& candidates : config.candidates) {
        StructureCondition condition{.graph = graph.name,
                                     .degree = mean_degree(whole),
                                     .left_out = number_of(share, "left_out", 0.001, 1),
                                     .candidates = candidates_of(candidates, whole.entities()),
                                     .taus = config.taus,
                                     .seeds = {}};
        for (std::int64_t seed = 1; seed <= config.seeds; ++seed) {
          const auto number = static_cast<std::uint64_t>(seed);
          const std::string name = fmt::format("{}-without-{:g}-seed-{}", graph.name, condition.left_out, seed);
          const StudyGraph retained =
              context.derived_graph(name, [&] { return leave_out(graph.open(), condition.left_out, number); });
          condition.seeds.push_back(run_seed(config, context, {graph, retained, number}, condition));
        }
        conditions.push_back(std::move(condition));
      }
    }
  }
  StudyResult result = structure_result(conditions);
  for (const StudyGraph& graph : graphs) result.graphs.push_back(graph.name);
  return result;
}

}  // namespace

StructureConfig StructureConfig::of(StudySize size) {
  StructureConfig config;
  switch (size) {
    case StudySize::tiny:
      config.recipe.set = {"model.dim=16",   "model.context_layers=0", "optimiser.lr=5e-3",
                           "train.epochs=1", "train.batch=256",        "loss.beta=0.3"};
      config.left_out = {"0.3"};
      config.candidates = {"0", "20"};
      config.taus = {"1e-2"};
      config.seeds = 2;
      break;
    case StudySize::quick:
      config.recipe = quick_recipe({"train.batch=512", "loss.beta=0.3"});
      config.left_out = {"0.1", "0.5"};
      config.candidates = {"2048"};
      config.taus = {"1e-2"};
      config.further = {"synthetic:400:6000"};
      break;
    case StudySize::full:
      config.recipe.config = "configs/{graph}_study-frozen.yaml";
      config.left_out = {"0.1", "0.3", "0.5"};
      config.candidates = {"0", "1024"};
      config.taus = {"2e-5", "1e-3", "1e-2"};
      break;
  }
  return config;
}

double false_negatives_of_a_query(const Graph& whole, const Graph& retained, std::int64_t candidates,
                                  std::int64_t batch, std::uint64_t seed) {
  const KnownAnswers all = KnownAnswers::of_training(whole), known = KnownAnswers::of_training(retained);
  std::vector<Triple> triples = with_inverses(retained.triples(Split::train), retained.relations());
  HASA_CHECK(!triples.empty(), data, "no training triples are left");
  std::int64_t found = 0, queries = 0;
  if (candidates == 0) {
    for (const Triple& triple : triples)
      found +=
          std::ssize(all.tails(triple.head, triple.relation)) - std::ssize(known.tails(triple.head, triple.relation));
    return static_cast<double>(found) / static_cast<double>(triples.size());
  }
  Rng rng(seed, "counted batches");
  rng.shuffle(triples);
  const std::size_t size = std::min(static_cast<std::size_t>(batch), triples.size());
  const std::size_t end = std::min(triples.size() / size, kCountedBatches) * size;
  for (std::size_t begin = 0; begin < end; begin += size) {
    const std::span<const Triple> some = std::span(triples).subspan(begin, size);
    const DrawnCandidates drawn =
        draw_candidates(some, {}, known, retained.entities(), candidates, Rng(seed, "counted candidates", begin));
    for (const Triple& triple : some) {
      ++queries;
      for (const EntityId tail : all.tails(triple.head, triple.relation))
        found +=
            std::ranges::binary_search(drawn.entities, tail) && !known.contains(triple.head, triple.relation, tail);
    }
  }
  return static_cast<double>(found) / static_cast<double>(queries);
}

Study structure_study() {
  return make_study<StructureConfig>(
      "structure", "under which conditions HaSa's correction for false negatives is worth something", run_structure);
}

}  // namespace hasa
