#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hasa/base/interval.h"
#include "hasa/kg/graph_proximity.h"
#include "hasa/study/roc.h"
#include "hasa/study/study.h"
#include "hasa/study/study_recipe.h"

namespace hasa {

/// Whether the way from head to tail in the graph tells false hard negatives from true ones (the paper's second
/// figure), and whether other measures of nearness do so better.
struct PathLengthsConfig {
  double held_out = 0.3;
  std::int64_t seeds = 3;
  std::int64_t batch = 256;
  std::int64_t measured = 20000;
  StudyRecipe recipe;

  static PathLengthsConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = PathLengthsConfig;
    field("held_out", &C::held_out, "share of the training triples that is missing from the graph", Range{0.01, 0.9});
    field("seeds", &C::seeds, "repetitions, each with triples held out, a run and draws of its own", Range{1, 100});
    field("batch", &C::batch, "triples of a batch; 2|B| - 1 hard negatives are drawn for each", Range{2, 65536});
    field("measured", &C::measured,
          "how many of the drawn negatives the other measures of nearness are computed for, false ones first; all "
          "have their path length",
          Range{100, 1e9});
    field("recipe", &C::recipe, "the run whose scores the hard distribution takes");
  }
};

/// A hard negative: how often it was drawn, and whether it is a held-out truth.
struct HardNegative {
  EntityId head = 0;
  RelationId relation = 0;
  EntityId tail = 0;
  std::int64_t drawn = 0;
  bool is_false = false;

  auto operator<=>(const HardNegative&) const = default;
};

/// How far apart head and tail are, of all draws of one seed on one graph; kNoPath where no path leads there.
struct PathLengthCounts {
  std::map<std::int32_t, std::int64_t> true_negatives, false_negatives;
};

/// How well a measure tells false negatives.
struct MeasureArea {
  std::string graph;
  std::int64_t seed = 0;
  Proximity measure = Proximity::path;
  double area = 0.5;
  Interval interval;  // over queries
};

PathLengthCounts count_lengths(const Neighbours& graph, const std::vector<HardNegative>& negatives);

/// Mean length over the draws that have a path; not a number where none has.
double mean_length(const std::map<std::int32_t, std::int64_t>& counts);

/// What one seed on one graph came to.
struct PathLengthsOf {
  std::string graph;
  std::int64_t seed = 0;
  PathLengthCounts counts;
};

/// Claim 2: false negatives are nearer, and the length tells them apart.
Verdict judge_path_lengths(const std::vector<PathLengthsOf>& lengths, const std::vector<MeasureArea>& areas);
/// Claim 20: another measure tells them apart better than the length.
Verdict judge_measures(const std::vector<MeasureArea>& areas);

Study path_lengths_study();

}  // namespace hasa
