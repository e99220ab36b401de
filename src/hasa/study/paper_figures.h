#pragma once

#include <optional>
#include <string>

namespace hasa {

/// A system's line of the paper's Table 3 on one graph; what the table leaves open is missing.
struct PaperMetrics {
  std::optional<double> mean_rank, mrr, hits_at_1, hits_at_3, hits_at_10;
};
/// By the names of Table 3 ("RotatE", "HaSa+"); nothing for other systems and graphs.
std::optional<PaperMetrics> paper_metrics(const std::string& system, const std::string& graph);

/// A line of its Table 1.
struct PaperGraph {
  double entities = 0, relations = 0, train = 0, valid = 0, test = 0, degree = 0;
};
/// "WN18RR" or "FB15k-237"; nothing for other graphs.
std::optional<PaperGraph> paper_graph(const std::string& graph);

}  // namespace hasa
