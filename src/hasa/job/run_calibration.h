#pragma once

#include <optional>
#include <string>

#include "hasa/eval/calibration.h"
#include "hasa/eval/ranking.h"
#include "hasa/kg/graph.h"
#include "hasa/model/scorer.h"
#include "hasa/run/run.h"

namespace hasa {

/// A run's file: its calibration, with the hash of the model it was fitted to and a checksum.
inline constexpr const char* kCalibrationFile = "calibration.json";

/// Hash over the names and contents of the run's best model: different for every model.
std::string model_hash(const Run& run);

/// The run's calibration, if it has one for its current model. A
/// damaged one is reported and ignored. A run is never rejected for it.
std::optional<Calibration> read_calibration(const Run& run);

enum class CalibrationCost {
  cheap,     ///< only if the model scores validation in a minute or two
  whatever,  ///< of any
};

/// Fits one on the run's validation split, or a sample of it, and
/// stores it in the run's folder if that is writable. Nothing if the
/// split is too small, or the model costs more than that. `ranking` limits the memory.
std::optional<Calibration> make_calibration(const Run& run, const Graph& graph, const Scorer& scorer,
                                            CalibrationCost cost, const RankingOptions& ranking = {});

/// The run's, fitted now if it has none.
std::optional<Calibration> calibration_of(const Run& run, const Graph& graph, const Scorer& scorer,
                                          const RankingOptions& ranking = {});

}  // namespace hasa
