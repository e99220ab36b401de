#pragma once

#include <torch/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hasa/eval/metrics.h"
#include "hasa/model/facts.h"
#include "hasa/model/scorer.h"
#include "hasa/model/text_reader.h"
#include "hasa/run/run.h"
#include "hasa/train/learner.h"
#include "hasa/train/train_context.h"

// A family is a folder with everything about one kind of model, and a line in families.h. Its header has a struct of
// all its options (kTag, `model`, and whatever else means something to it), and for that struct these overloads:
//
//   void check(const F&, const torch::Device&)                     refuses options that contradict each other
//   std::unique_ptr<Learner> make_learner(const F&, const TrainContext&)   where it is trained by gradient steps
//   void fit(const F&, const TrainContext&, const Run&)            where it is not: leaves the model in the run
//                                                                  (or a FitOutcome, where it validates itself)
//   void complete_run(const F&, const TrainContext&, const Run&)   files of a new run that are no weights
//   std::unique_ptr<Scorer> open_scorer(const F&, const OpenContext&)
//   std::unique_ptr<TextReader> open_text_reader(const F&, const OpenContext&, const Scorer&)   where it reads texts
//   ModelFacts facts(const F&)                                     its words in the certificate
//   std::vector<PartFacts> parts_of(const F&, const Run&)          of a family that is made of runs
//   std::int64_t opening_bytes(const F&, const Run&, const Graph&) what opening it takes on a CPU
//
// A family whose learner shares a step among several processes says so: static constexpr bool kSeveralProcesses = true.
//
// docs/architecture.md has a worked example.

namespace hasa {

/// What a fit came to, where a family validates itself: the job then logs its figure instead of one of its own.
struct FitOutcome {
  bool finished = true;  // false: stopped by a signal while it trained its parts
  std::optional<Scores> validation;
};

/// A run that another one is made of, as the certificate names it.
struct PartFacts {
  std::string name;
  std::string sha256;  // of its best model
};

/// What a trained model is opened from. The graph must outlive the scorer.
struct OpenContext {
  const Run& run;
  const Graph& graph;
  std::filesystem::path graph_folder;
  torch::Device device = torch::kCPU;
  Comm& comm = one_process();    // that open it together
  RunOpener open_run = nullptr;  // for families that are made of runs
};

/// Reads text that training never saw, for the scorer that open_scorer made of the same context and that outlives it.
/// Null: a family that reads no texts.
template <class F>
std::unique_ptr<TextReader> open_text_reader(const F&, const OpenContext&, const Scorer&) {
  return nullptr;
}

template <class F>
std::vector<PartFacts> parts_of(const F&, const Run&) {
  return {};
}

}  // namespace hasa
