#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hasa/eval/report.h"
#include "hasa/study/claim_marks.h"
#include "hasa/study/study_result.h"

namespace hasa {

/// A finished study as its folder has it.
struct FinishedStudy {
  std::string name;  // of its folder: "losses"
  StudyResult result;
};

/// The studies in a folder that `hasa study` wrote: the folder of one, or the one that holds several, in the order in
/// which they are listed. Empty where there is none. Throws data for one that cannot be read.
std::vector<FinishedStudy> read_studies(const std::filesystem::path& folder);

/// All that a page binds together.
struct BoundReport {
  std::vector<Report> runs;
  std::vector<FinishedStudy> studies;
};

/// "Of the paper's 21 claims: 3 confirmed, 18 not yet run."
std::string claims_words(const std::vector<FinishedStudy>& studies);

/// One page that needs nothing else: the claims of the paper with what the studies say of them, every study with its
/// figures, sentences and tables, the runs beside each other, and each run's result, curves and certificate.
std::string to_html(const BoundReport& report);

}  // namespace hasa
