#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/study/seeded_runs.h"
#include "hasa/study/study.h"

namespace hasa {

/// The paper's Table 3: HaSa and HaSa+ beside other systems, all ranked by one protocol. Systems are trained, or runs
/// that are there already are read.
struct SystemsConfig {
  std::vector<std::string> systems, runs;
  std::int64_t sample = 1070;
  double minutes = 5;

  static SystemsConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = SystemsConfig;
    field("systems", &C::systems,
          "the rows, each as NAME | KIND | FILE KEY=VALUE ...: how it is trained, KIND being classic (no language "
          "model), "
          "text (a language model) or hasa; {graph} in FILE stands for the graph's name");
    field("runs", &C::runs,
          "runs that are there already, each as NAME=FOLDER: taken in place of training the system of this name on the "
          "graph that the run was trained on");
    field("sample", &C::sample,
          "test queries, drawn at random, that a system is ranked by if all would take longer than `minutes`; "
          "candidates are never sampled",
          Range{10, 1e9});
    field("minutes", &C::minutes, "of ranking, by the system's own estimate", Range{0, 1e6});
  }
};

enum class SystemKind { classic, text, hasa };

/// "RotatE | classic | configs/{graph}_rotate.yaml model.dim=100"
struct SystemOptions {
  std::string name;
  SystemKind kind = SystemKind::classic;
  StudyRecipe recipe;
};
/// Throws config.
SystemOptions parse_system(const std::string& text);

/// One system on one graph.
struct SystemRow {
  SystemKind kind = SystemKind::classic;
  SeededRuns runs;           // of one seed; named after the system
  std::int64_t queries = 0;  // of the split: more than were ranked where these are a sample
};
struct SystemsTable {
  std::string graph;
  std::vector<SystemRow> rows;
};

/// b - a on the queries that both were ranked by.
Difference difference_of(const SystemRow& a, const SystemRow& b, RankMetric metric);

/// Claim 7: HaSa+ is the best in MRR, Hits@1, Hits@3 and Hits@10. `table` has HaSa+ and another system.
Verdict judge_best_system(const SystemsTable& table);
/// Claim 8: language models mean better mean ranks and a worse Hits@1, which HaSa and HaSa+ make up for.
Verdict judge_language_models(const SystemsTable& table);
/// Claim 9: HaSa and HaSa+ are the best on language models, RotatE is better, HaSa+ improves on HaSa in Hits@10 only.
Verdict judge_behind_rotate(const SystemsTable& table);

/// With the verdicts for which a table has the systems.
StudyResult systems_result(const std::vector<SystemsTable>& tables);

Study systems_study();

}  // namespace hasa
