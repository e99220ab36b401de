#pragma once

#include <optional>
#include <string>

#include "hasa/eval/calibration.h"
#include "hasa/eval/ranking.h"
#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"
#include "hasa/run/run.h"

namespace hasa {

/// Of a run's folder: its calibration, with the hash of the model that it was fitted to and a checksum.
inline constexpr const char* kCalibrationFile = "calibration.json";

/// Of all files of the run's best model, and their names: another for every other model.
std::string model_hash(const Run& run);

/// What the run has for the model it has. Nothing where there is none, or where the model has become another since; a
/// damaged one is told of and passed over. A run is never refused for it.
std::optional<Calibration> read_calibration(const Run& run);

enum class CalibrationCost {
  cheap,     ///< only of a model that scores validation in a minute or two
  whatever,  ///< of any
};

/// Fits one to the run's validation split, or to a sample of it, and keeps it in the run's folder where that can be
/// written to. Nothing where the split can say too little, and of a model that costs more than that. `ranking` says
/// what memory may be taken.
std::optional<Calibration> make_calibration(const Run& run, const Graph& graph, const Scorer& scorer,
                                            CalibrationCost cost, const RankingOptions& ranking = {});

/// The run's, made now where it has none.
std::optional<Calibration> calibration_of(const Run& run, const Graph& graph, const Scorer& scorer,
                                          const RankingOptions& ranking = {});

}  // namespace hasa
