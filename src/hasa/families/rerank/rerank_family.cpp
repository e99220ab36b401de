#include "hasa/families/rerank/rerank_family.h"

#include <fmt/format.h>

#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/rerank/rerank_scorer.h"
#include "hasa/families/run_parts.h"

namespace hasa {
namespace {

constexpr std::int64_t kGuessedWidth = 512;  // of a part's vectors: their number is the part's own affair

std::vector<PartRecord> parts_of_run(const Run& run) {
  const std::filesystem::path file = run / Run::kBestWords;
  std::vector<PartRecord> parts = parts_in(read_file(file), file.string());
  HASA_CHECK(parts.size() == 2, data, "{} names {} parts, not two\ntrain the run again", file.string(), parts.size());
  return parts;
}

}  // namespace

void check(const RerankFamily& config, const torch::Device&) {
  check_parts(config.model.parts);
  HASA_CHECK(
      config.model.parts.size() == 2, config,
      "model.parts has {} entries; re-ranking needs two: the run of the shortlist, then the one that re-ranks it",
      config.model.parts.size());
}

FitOutcome fit(const RerankFamily& config, const TrainContext& context, const Run& run) {
  const std::vector<PartRecord> parts = prepare_parts(config.model.parts, run, context.train_run);
  if (parts.empty()) return {.finished = false, .validation = {}};
  run.put(Run::kBestFolder,
          [&](const std::filesystem::path& folder) { write_file(folder / "model.json", to_json(parts) + "\n"); });
  return {};
}

std::unique_ptr<Scorer> open_scorer(const RerankFamily& config, const OpenContext& context) {
  std::vector<RunPart> parts = open_parts(parts_of_run(context.run), context.run, context.open_run);
  return std::make_unique<RerankScorer>(std::move(parts[0].scorer), std::move(parts[1].scorer), config.model.top);
}

ModelFacts facts(const RerankFamily& config) {
  const RerankModelConfig& model = config.model;
  const std::string first = name_of_part(model.parts.at(0)), second = name_of_part(model.parts.at(1));
  return {.name = fmt::format("the top {} of {} for each query, re-ranked by {}", model.top, first, second),
          .language_model = "as in its parts",
          .text_template = "as in its parts",
          .context = "as in its parts",
          .training_graph = "as in its parts",
          .score = fmt::format("for the top {} of {} the score of {}, for all others that of {}, below them", model.top,
                               first, second, first),
          .products = "as its parts compute them",
          .candidates = fmt::format("RE-RANKED: {} scores {} of them per query; not an exact evaluation of it", second,
                                    model.top)};
}

std::vector<PartFacts> parts_of(const RerankFamily&, const Run& run) {
  std::vector<PartFacts> facts;
  for (const PartRecord& part : parts_of_run(run)) facts.push_back({part.name, part.sha256});
  return facts;
}

std::int64_t opening_bytes(const RerankFamily&, const Run& run, const Graph& graph) {
  std::int64_t bytes = kReadingBytes;
  for (const PartRecord& part : parts_of_run(run))
    bytes += bytes_of_vectors(Run::open(folder_of(part, run)), graph, kGuessedWidth);
  return bytes;
}

}  // namespace hasa
