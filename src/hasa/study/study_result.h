#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hasa/page/chart.h"
#include "hasa/page/table.h"
#include "hasa/study/paper_claim.h"

namespace hasa {

/// What the data say about a claim of the paper.
enum class Agreement : std::uint8_t { agrees, mixed, disagrees };

/// "agrees", "mixed", "disagrees"
const char* to_string(Agreement agreement);

/// Of some findings about one claim: agrees where all do, disagrees where all do, else mixed. At least one.
Agreement overall(const std::vector<Agreement>& findings);

/// A sentence with the figures that came out, made from the data, and what it says about a claim.
struct Verdict {
  int claim = 0;  // number in paper_claims()
  Agreement agreement = Agreement::mixed;
  std::string sentence;
};

/// A file of figures (CSV, JSON) or anything else a study leaves, such as a page of its own.
struct StudyFile {
  std::string name;  // "false_negatives.csv"
  std::string content;
};

/// A chart with a line on how it came about and the numbers it shows. It becomes ID.svg and ID.png, after its
/// chart's text.id.
struct StudyFigure {
  Chart chart;
  std::string remark;
  PageTable numbers;
};

/// All that a study has to say. Nothing in it depends on where or when it ran, but for times it may tell.
struct StudyResult {
  std::string title;    // "False negatives by sampler"
  std::string summary;  // what was done: graphs, models, sizes, seeds, the length of every run
  std::vector<Verdict> verdicts;
  std::vector<StudyFigure> figures;
  std::vector<PageTable> tables;
  std::vector<StudyFile> files;
  // Whoever runs the study fills these in: claims about the paper's graphs are not proved on others.
  std::string size = {};                 // "tiny", "quick" or "full"
  std::vector<std::string> graphs = {};  // names of what was studied
};

/// result.json, from which `hasa report` makes a page without computing anything again. The content of files is not
/// in it, only their names. Reading throws data.
nlohmann::ordered_json to_json(const StudyResult& result);
StudyResult study_result_from_json(const nlohmann::ordered_json& json);

/// Rows of cells as comma-separated values; cells with commas, quotes or line ends are quoted.
std::string to_csv(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

}  // namespace hasa
