#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hasa/base/stopwatch.h"
#include "hasa/dist/comm.h"
#include "hasa/eval/certificate.h"
#include "hasa/eval/query_sample.h"
#include "hasa/eval/ranking.h"
#include "hasa/eval/report.h"
#include "hasa/eval/top_answers.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/scorer.h"
#include "hasa/run/run.h"

namespace hasa {

/// A run as evaluation sees it, for any kind of model.
struct EvaluatedRun {
  std::unique_ptr<Graph> graph;  // the scorer refers to it
  std::unique_ptr<Scorer> scorer;
  RunFacts facts;
  std::string graph_name;  // of its folder
  Run run;
};

/// `memory`: memory limit of the process, or of the GPU; 0 for no limit. A run that cannot be
/// opened within it is refused in advance. The other two override the run's config unless they are "".
EvaluatedRun open_for_evaluation(const std::string& run, const std::string& graph, const std::string& device,
                                 std::int64_t memory, Comm& comm = one_process());

/// Ranks a split within the rest of `memory`. Throws unavailable, with the size needed,
/// if not even one query at a time fits; data if the split is empty.
RankingOptions ranking_within(const EvaluatedRun& run, Split split, std::int64_t memory);

/// Ranks of a split, or of a sample of its queries, and their cost.
struct RankedSplit {
  std::vector<RankedQuery> ranked;
  std::int64_t queries = 0;           // of the split
  std::optional<QuerySample> sample;  // where not all of them were asked for
  std::int64_t kept = 0;              // ranks found by an earlier, interrupted call
  double seconds = 0;                 // of ranking the others
  ScoringCost cost;
};

/// Ranks. A scorer to which a query is worth a word (ScoringCost::seconds_per_query) has its ranks kept in the run's
/// folder as they come, as ranks-SPLIT.part: how long it will take is said before it starts, and a call that was
/// stopped is gone on with by the next. The file goes when the whole split is ranked. Several processes rank a share
/// each and get all ranks.
RankedSplit rank_run(const EvaluatedRun& run, const KnownAnswers& known, Split split, const QuerySample& sample,
                     const RankingOptions& options, Comm& comm = one_process());

/// What a report needs besides the ranks.
struct Circumstances {
  std::string name;  // of the run
  Split split = Split::test;
  Stopwatch watch = {};     // since the run was opened
  std::int64_t memory = 0;  // the cap
};
/// With its certificate; without the paper's protocol.
Report report_on(const EvaluatedRun& run, const RankedSplit& split, const Circumstances& circumstances,
                 bool breakdowns);
/// The same for ranks of the whole split.
Report report_on(const EvaluatedRun& run, std::span<const RankedQuery> ranked, const Circumstances& circumstances,
                 bool breakdowns);

/// The reliability of the run's probabilities on the best answers of a split. They are fitted now
/// if the run has none and that is cheap, or if `anew`; nothing if it still has none.
std::optional<ReportedCalibration> reported_calibration(const EvaluatedRun& run, const std::vector<TopAnswers>& top,
                                                        const RankingOptions& ranking, bool anew);

/// Peak memory of the process, or of the GPU if there is one.
std::int64_t peak_memory(const torch::Device& device);

Split parse_split(const std::string& name);

}  // namespace hasa
