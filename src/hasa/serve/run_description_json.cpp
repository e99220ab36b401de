#include "hasa/serve/run_description_json.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/eval/calibration.h"
#include "hasa/eval/training_curve.h"
#include "hasa/job/run_config.h"

namespace hasa {
namespace {

using RunJson = nlohmann::ordered_json;

std::string last_part_of(const std::filesystem::path& path) {
  const auto normal = path.lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

/// The metrics of the validation split at the epoch that was best, as metrics.jsonl has them; null where it has none.
RunJson best_validation(std::string_view lines) {
  RunJson best;
  const auto mrr = [](const RunJson& line) { return line.value(RunJson::json_pointer("/valid/all/mrr"), -1.0); };
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const RunJson json = RunJson::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_object() && mrr(json) >= 0 && (best.is_null() || mrr(json) > mrr(best))) best = json;
  }
  return best.is_null() ? best : best["valid"]["all"];
}

RunJson scores_json(const ServedRun& run) {
  RunJson valid = RunJson::object();
  const auto log = run.run() / Run::kMetrics;
  std::error_code ignored;
  if (std::filesystem::exists(log, ignored)) {
    if (RunJson found = best_validation(read_file(log)); found.is_object()) valid = std::move(found);
  }
  if (const auto calibration = run.calibration()) {
    valid["ece"] = calibration->on_validation().calibration_error;
    valid["brier"] = calibration->on_validation().brier;
  }
  return valid.empty() ? RunJson::object() : RunJson{{"valid", valid}};
}

RunJson curve_json(const ServedRun& run) {
  RunJson curve = RunJson::array();
  for (const TrainingEpoch& each : read_training_curve(run.run() / Run::kMetrics)) {
    curve.push_back({{"epoch", each.epoch}});
    if (each.loss) curve.back()["loss"] = *each.loss;
    if (each.valid_mrr) curve.back()["valid_mrr"] = *each.valid_mrr;
  }
  return curve;
}

std::string text_of_json(const RunJson& json) { return json.dump(-1, ' ', false, RunJson::error_handler_t::replace); }

}  // namespace

std::string run_json(const ServedRun& run, const LiveState& state) {
  const Graph& graph = run.graph();
  std::size_t triples = state.added_triples() - state.removed_triples();
  for (const Split split : kSplits) triples += graph.triples(split).size();
  return text_of_json({{"name", last_part_of(std::filesystem::absolute(run.run().folder()))},
                       {"model", run.facts().name},
                       {"score", run.facts().score},
                       {"graph", last_part_of(run.config().graph)},
                       {"entities", state.living()},
                       {"relations", graph.relations()},
                       {"triples", triples},
                       {"scores", scores_json(run)},
                       {"curve", curve_json(run)},
                       {"reads_text", run.reads_text()},
                       {"calibrated", run.calibration() != nullptr},
                       {"takes_changes", run.live().takes_changes()}});
}

std::string relations_json(const Graph& graph) {
  std::vector<std::size_t> triples(static_cast<std::size_t>(graph.relations()));
  for (const Triple& each : graph.triples(Split::train)) ++triples[static_cast<std::size_t>(each.relation)];
  RunJson list = RunJson::array();
  for (RelationId r = 0; r < graph.relations(); ++r) {
    list.push_back({{"id", graph.relation_id(r)},
                    {"name", graph.relation_text(r)},
                    {"inverse_name", graph.relation_text(inverse(r, graph.relations()))},
                    {"triples", triples[static_cast<std::size_t>(r)]}});
  }
  return text_of_json({{"relations", list}});
}

}  // namespace hasa
