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
//   void check(const F&, const torch::Device&)                     rejects options that contradict each other
//   std::unique_ptr<Learner> make_learner(const F&, const TrainContext&)   if it is trained by gradient steps
//   void fit(const F&, const TrainContext&, const Run&)            where it is not: leaves the model in the run
//                                                                  (or a FitOutcome, where it validates itself)
//   void complete_run(const F&, const TrainContext&, const Run&)   files of a new run that are no weights
//   std::unique_ptr<Scorer> open_scorer(const F&, const OpenContext&)
//   std::unique_ptr<TextReader> open_text_reader(const F&, const OpenContext&, const Scorer&)   where it reads texts
//   ModelFacts facts(const F&)                                     its description in the certificate
//   std::vector<PartFacts> parts_of(const F&, const Run&)          of a family that is made of runs
//   std::int64_t opening_bytes(const F&, const Run&, const Graph&) memory for opening it on a CPU
//
// docs/architecture.md has a worked example.

namespace hasa {

/// The outcome of a fit; if the family validates itself, the job logs its metrics instead of ranking again.
struct FitOutcome {
  bool finished = true;  // false: interrupted by a signal while it trained its parts
  std::optional<Scores> validation;
};

/// A part of a run, as named in the certificate.
struct PartFacts {
  std::string name;
  std::string sha256;  // of its best model
};

/// What is needed to open a trained model. The graph must outlive the scorer.
struct OpenContext {
  const Run& run;
  const Graph& graph;
  std::filesystem::path graph_folder;
  torch::Device device = torch::kCPU;
  RunOpener open_run = nullptr;  // for families that are made of runs
};

/// Encodes texts unseen in training, for the scorer that open_scorer made from the
/// same context, which must outlive it. Null for a family that reads no texts.
template <class F>
std::unique_ptr<TextReader> open_text_reader(const F&, const OpenContext&, const Scorer&) {
  return nullptr;
}

template <class F>
std::vector<PartFacts> parts_of(const F&, const Run&) {
  return {};
}

}  // namespace hasa
