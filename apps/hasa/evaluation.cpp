#include "evaluation.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/memory.h"
#include "hasa/base/sha256.h"
#include "hasa/ops/device.h"
#include "hasa/run/run.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// Code that is paged in, buffers of products, stacks of threads.
constexpr std::int64_t kOfTheProgram = std::int64_t{96} << 20;
/// What is kept of a query beside its scores: ranks, rows to write, groups to draw from.
constexpr std::int64_t kOfAQuery = 512;

void check_fits(std::int64_t needed, std::int64_t memory, const std::string& what) {
  HASA_CHECK(memory == 0 || needed <= memory, unavailable, "{} takes about {}, but --memory is {}\ngive it that much",
             what, format_bytes(needed), format_bytes(memory));
}

/// What a language model holds while it reads a batch of texts.
constexpr std::int64_t kOfReading = std::int64_t{256} << 20;
std::int64_t reading_bytes(const RunSetup& setup) {
  return std::holds_alternative<TextModelConfig>(setup.model) ? kOfReading : 0;
}

/// A file is mapped and copied while it is read; then entity vectors are computed, some of the same size at a time.
std::int64_t opening_bytes(const Run& run, const RunSetup& setup, const Graph& graph) {
  std::int64_t files = 0;
  for (const char* name : {Run::kTexts, Run::kBest}) {
    std::error_code ignored;
    if (fs::exists(run / name, ignored)) files += static_cast<std::int64_t>(fs::file_size(run / name));
  }
  const std::int64_t dim = std::visit([](const auto& model) { return model.dim; }, setup.model);
  const std::int64_t vectors = std::int64_t{graph.entities()} * dim * static_cast<std::int64_t>(sizeof(float));
  return 2 * files + 6 * vectors + kOfTheProgram + reading_bytes(setup);
}

struct SeedOption {
  std::uint64_t seed = 0;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("seed", &SeedOption::seed, "of the training");
  }
};

std::uint64_t seed_of(const Run& run) {
  SeedOption option;
  apply_yaml(fields_of(option), run.config_yaml(), run.folder().string(), UnknownOptions::pass_over);
  return option.seed;
}

std::string trained_by(const Run& run) {
  const auto description = nlohmann::json::parse(read_file(run / "run.json"));
  return fmt::format("hasa {} ({})", description.value("hasa", "?"), description.value("commit", "?"));
}

/// The last two parts of a path: a model's folder is often just called "model".
std::string short_name(const fs::path& path) {
  const fs::path parent = path.parent_path().filename();
  return (parent.empty() ? path.filename() : parent / path.filename()).string();
}

std::string pooled(const RunSetup& setup) {
  return fmt::format("{}, {} pooling", short_name(setup.language_model.path), to_string(setup.language_model.pool));
}

void describe(const RunSetup& setup, const HasaConfig& model, ModelFacts& facts) {
  facts.name = fmt::format("a projection to {} dimensions and a GRU query over a frozen language model", model.dim);
  facts.language_model = pooled(setup) + ", frozen";
  const std::int64_t layers = model.context_layers;
  facts.context =
      layers == 0 ? "none" : fmt::format("vectors of the neighbours, {} layer{}", layers, layers == 1 ? "" : "s");
  facts.training_graph = layers == 0 ? "nothing: texts alone" : "all training edges, no edge of valid or test";
  facts.score = "cosine of query and entity; the learned factor changes no rank";
}

void describe(const RunSetup& setup, const TextModelConfig& model, ModelFacts& facts) {
  facts.name = model.query == QueryForm::joint
                   ? "head and relation read as one pair by the language model"
                   : fmt::format("a projection to {} dimensions and a GRU query over the language model", model.dim);
  facts.language_model =
      pooled(setup) + (model.tuned_layers < 0    ? ", trained whole"
                       : model.tuned_layers == 0 ? ", frozen"
                                                 : fmt::format(", last {} layers trained", model.tuned_layers));
  const std::int64_t edges = setup.text.context;
  facts.context =
      edges == 0 ? "none" : fmt::format("up to {} edges of an entity told in its text, a fixed sample", edges);
  if (edges > 0 && setup.text.draws > 1) facts.context += fmt::format("; the mean of {} samples", setup.text.draws);
  facts.training_graph =
      edges == 0 ? "nothing: texts alone" : "training edges of an entity in its text, no edge of valid or test";
  facts.score = model.score == ScoreForm::cosine ? "cosine of query and entity; the learned factor changes no rank"
                                                 : "dot product of query and entity";
}

void describe(const RunSetup&, const TableModelConfig& model, ModelFacts& facts) {
  facts.name = fmt::format("{}, {} numbers for each entity{}", to_string(model.form), model.dim,
                           model.reciprocal ? ", inverses of relations with vectors of their own" : "");
  facts.language_model = "none";
  facts.context = "none";
  facts.training_graph = "nothing: entities and relations are their vectors";
  facts.score = model.form == TableForm::rotate   ? "negative sum of moduli of query minus entity"
                : model.form == TableForm::transe ? fmt::format("negative L{} distance of query and entity", model.norm)
                                                  : "dot product of query and entity";
}

void describe(const RunSetup&, const KbganConfig& model, ModelFacts& facts) {
  const bool transd = model.discriminator == KbganDiscriminator::transd;
  facts.name =
      fmt::format("KBGAN: {}, {} numbers a vector, against negatives that {} chose", transd ? "TransD" : "TransE",
                  model.dim, model.generator == KbganGenerator::complex ? "ComplEx" : "DistMult");
  facts.language_model = "none";
  facts.context = "none";
  facts.training_graph = "nothing: entities and relations are their vectors";
  facts.score = transd ? "negative square of the distance, written as a dot product"
                       : fmt::format("negative L{} distance of query and entity", model.norm);
}

/// On the CPU a run is refused before it is opened. A GPU's allocator keeps to a cap by itself, and is believed.
TrainedRun open_within(const Run& run, const RunSetup& setup, const std::string& graph_folder,
                       const torch::Device& device, std::int64_t memory) {
  const std::string place = graph_folder.empty() ? setup.graph : graph_folder,
                    what = "opening " + run.folder().string();
  std::error_code ignored;
  if (memory > 0 && device.is_cpu() && fs::exists(place, ignored))
    check_fits(resident_bytes() + opening_bytes(run, setup, Graph::open(place)), memory, what);
  if (memory > 0) cap_device_bytes(device, memory);
  try {
    return open_trained(run, graph_folder, device.str());
  } catch (const c10::OutOfMemoryError&) {
    if (memory > 0) check_fits(std::max(memory + 1, opening_bytes(run, setup, Graph::open(place))), memory, what);
    throw;
  }
}

ModelFacts facts_of(const Run& run, const RunSetup& setup) {
  ModelFacts facts;
  std::visit([&](const auto& model) { describe(setup, model, facts); }, setup.model);
  facts.text_template = setup.reads_text()
                            ? fmt::format("\"{}\", at most {} tokens", setup.text.entity, setup.text.max_tokens)
                            : "none: no text is read";
  facts.trained_by = trained_by(run);
  facts.seed = seed_of(run);
  for (const char* name : {Run::kBest, Run::kTexts}) {
    if (fs::exists(run / name)) facts.weights.emplace_back(name, "sha256:" + sha256_of_file(run / name));
  }
  return facts;
}

}  // namespace

EvaluatedRun open_for_evaluation(const std::string& folder, const std::string& graph, const std::string& device_name,
                                 std::int64_t memory) {
  const Run run = Run::open(folder);
  const RunSetup setup = run.setup();
  const torch::Device device = parse_device(device_name.empty() ? setup.device : device_name);
  TrainedRun trained = open_within(run, setup, graph, device, memory);
  malloc_trim(0);  // what opening needed and gave back
  return {std::move(trained.graph), std::move(trained.scorer), facts_of(run, setup), reading_bytes(setup)};
}

RankingOptions ranking_within(const EvaluatedRun& run, Split split, std::int64_t memory) {
  const std::size_t triples = run.graph.triples(split).size();
  HASA_CHECK(triples > 0, data, "the {} split of the run's graph has no triples to rank", to_string(split));
  RankingOptions options{.show_progress = true, .on_queries = {}};
  if (memory == 0) return options;
  const torch::Device device = run.scorer->device();
  const std::int64_t of_queries = device.is_cuda() ? 0 : 2 * kOfAQuery * static_cast<std::int64_t>(triples);
  const std::int64_t held =
      (device.is_cuda() ? device_bytes(device) : resident_bytes()) + kOfTheProgram / 2 + run.reading_bytes + of_queries;
  const std::int64_t least = least_ranking_bytes(run.graph.entities());
  check_fits(held + least, memory, fmt::format("ranking among {} entities", run.graph.entities()));
  options.budget_bytes = std::min(options.budget_bytes, memory - held);
  return options;
}

std::int64_t peak_memory(const torch::Device& device) {
  return device.is_cuda() ? peak_device_bytes(device) : peak_resident_bytes();
}

Report report_on(const EvaluatedRun& run, std::span<const RankedQuery> ranked, const Circumstances& circumstances,
                 bool breakdowns) {
  ReportOptions wanted;
  wanted.breakdowns = breakdowns;
  Report report = make_report(ranked, run.graph, wanted);
  report.run = circumstances.name;
  report.split = circumstances.split;
  const torch::Device device = run.scorer->device();
  report.certificate = certify(run.facts, run.graph,
                               {.split = circumstances.split,
                                .queries = static_cast<std::int64_t>(ranked.size()),
                                .device = device,
                                .seconds = circumstances.watch.seconds(),
                                .memory_cap = circumstances.memory,
                                .peak_memory = peak_memory(device),
                                .bootstrap = wanted.bootstrap});
  return report;
}

Split parse_split(const std::string& name) { return name == "valid" ? Split::valid : Split::test; }

}  // namespace hasa
