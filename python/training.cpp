#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <filesystem>
#include <string>

#include "bindings.h"
#include "hasa/base/error.h"
#include "hasa/base/stop_signal.h"
#include "hasa/base/stopwatch.h"
#include "hasa/eval/report.h"
#include "hasa/job/evaluation.h"
#include "hasa/job/train_run.h"

namespace nb = nanobind;

namespace hasa::python {

namespace {

/// Python's function for each epoch. What it throws stops the training, which keeps what it has; it is thrown
/// again when the training has put its affairs in order.
class EpochCallback {
 public:
  explicit EpochCallback(nb::object function) : function_(std::move(function)) {}

  /// Ctrl-C that was pressed while no training step ran is heard of here.
  bool operator()(const EpochRecord& record) {
    const nb::gil_scoped_acquire held;
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      if (!function_.is_none()) function_(to_json(record));
      return true;
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }

  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  nb::object function_;
  std::exception_ptr thrown_;
};

/// Returns whether the training went through all of its epochs.
bool train(const std::string& yaml, const std::string& source, const std::string& graph,
           const std::filesystem::path& out, bool resume, nb::object on_epoch) {
  EpochCallback callback(std::move(on_epoch));
  TrainEnd end = TrainEnd::finished;
  {
    const nb::gil_scoped_release released;
    RunConfig config;
    apply_yaml(fields_of(config), yaml, source);
    if (!graph.empty()) config.graph = graph;
    end = train_run(config, out, resume, [&](const EpochRecord& record) { return callback(record); }).end;
  }
  callback.rethrow();
  if (end == TrainEnd::interrupted) {
    throw Stopped(
        fmt::format("stopped; {} keeps everything up to here, and resume=True goes on with it", out.string()));
  }
  return end == TrainEnd::finished;
}

/// What `hasa eval --json` prints.
std::string evaluate(const std::string& folder, const std::string& split_name, const std::string& graph,
                     const std::string& device, bool breakdown) {
  const nb::gil_scoped_release released;
  HASA_CHECK(split_name == "valid" || split_name == "test", config, "unknown split \"{}\"; expected valid or test",
             split_name);
  const Stopwatch watch;
  const EvaluatedRun run = open_for_evaluation(folder, graph, device, /*memory=*/0);
  const Split split = parse_split(split_name);
  TopAnswersOf top(*run.graph, split, run.scorer->device());
  RankingOptions ranking = ranking_within(run, split, /*memory=*/0);
  ranking.on_ranked = [&](const ScoredQueries& part) { top.add(part); };
  const RankedSplit ranks = rank_run(run, KnownAnswers::of_all_splits(*run.graph), split, QuerySample{}, ranking);
  Report report = report_on(run, ranks, {folder, split, watch}, breakdown);
  if (ranks.kept == 0) report.calibration = reported_calibration(run, top.take(), ranking, /*anew=*/false);
  return to_json(report);
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("train", &train, nb::arg("yaml"), nb::arg("source"), nb::arg("graph"), nb::arg("out"), nb::arg("resume"),
             nb::arg("on_epoch").none());
  module.def("evaluate", &evaluate, nb::arg("run"), nb::arg("split"), nb::arg("graph"), nb::arg("device"),
             nb::arg("breakdown"));
}

}  // namespace hasa::python
