#pragma once

#include <string>
#include <vector>

#include "hasa/study/path_lengths_study.h"

namespace hasa {

/// A measure's curve for one seed.
struct MeasureCurve {
  std::string graph;
  std::int64_t seed = 0;
  Proximity measure = Proximity::path;
  std::vector<RocPoint> points;
};

/// All that the study found.
struct PathLengthsData {
  std::vector<PathLengthsOf> lengths;
  std::vector<MeasureArea> areas;
  std::vector<MeasureCurve> curves;
};

/// Figures, tables and files, without summary and verdicts.
StudyResult describe_path_lengths(const PathLengthsData& data);

}  // namespace hasa
