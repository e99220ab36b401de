#pragma once

#include <string>
#include <vector>

#include "hasa/study/study.h"

namespace hasa {

/// Runs a study and leaves its config.yaml, result.json, files and figures in OUT/NAME, each written whole. With the
/// same options again, what is finished is not computed anew. `assignments`: "seeds=3", options of the study over its
/// defaults for the size.
StudyResult run_study(const Study& study, const StudySettings& settings, const std::vector<std::string>& assignments);

/// The assignments to one of several studies: "false-negatives.seeds=3" is "seeds=3" of false-negatives. Throws config
/// for one that names no study.
std::vector<std::string> assignments_of(const std::vector<std::string>& assignments, const std::string& study);

/// Verdicts and tables for a terminal.
std::string to_text(const StudyResult& result);

/// The file of a finished study's folder that study_result_from_json reads.
inline constexpr const char* kStudyResultFile = "result.json";

}  // namespace hasa
