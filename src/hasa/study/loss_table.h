#pragma once

#include <optional>

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/study/option_grid.h"
#include "hasa/study/seeded_runs.h"
#include "hasa/study/study.h"

namespace hasa {

/// Simple, Hard, HaSa and HaSa+ beside each other. Each loss has its options chosen on validation among as many
/// trainings as the others, and is then trained from several seeds.
struct LossTableConfig {
  StudyRecipe trials;        // what options are chosen with
  StudyRecipe later_trials;  // and those of `later`
  StudyRecipe runs;          // what the table is made with
  std::vector<std::string> shared, hardness, structure, later;
  std::int64_t budget = 6;
  std::int64_t seeds = 3;
  std::vector<std::string> ablations;

  static LossTableConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = LossTableConfig;
    field("trials", &C::trials, "the trainings that options are chosen with, on validation");
    field("later_trials", &C::later_trials, "the trainings that the options of `later` are chosen with");
    field("runs", &C::runs, "the trainings of the table");
    field("shared", &C::shared, "options that every loss may choose: train.epochs=2|4, optimiser.lr=1e-3|2e-3");
    field("hardness", &C::hardness, "options that hard, hasa and hasa+ choose besides: loss.beta=0.1|0.3|1");
    field("structure", &C::structure, "options that hasa and hasa+ choose besides: loss.tau=2e-5|1e-3");
    field("later", &C::later,
          "options that every loss chooses when it has chosen those, because the first trials do not have them: "
          "negatives.hard=0|1|3");
    field("budget", &C::budget, "trainings that each loss may choose its options with, each time, all of one seed",
          Range{1, 10000});
    field("seeds", &C::seeds, "of each row", Range{1, 100});
    field(
        "ablations", &C::ablations,
        "further rows, HaSa+ with some options changed, each as NAME: KEY=VALUE ...: without context: text.context=0; "
        "one that has all changes of an earlier one is compared with that, else with HaSa+");
  }
};

/// A loss of the table, with all it may choose from.
struct LossChoice {
  std::string name;                // "HaSa+"
  std::vector<std::string> fixed;  // {"loss.kind=hasa", "loss.tail_to_query=true"}
  OptionGrid grid;
};
/// Simple, Hard, HaSa, HaSa+. Throws config where a row that is called Hard could choose beta = 0, or one called HaSa
/// tau = 0.
std::vector<LossChoice> loss_choices(const LossTableConfig& config);

/// "without context: text.context=0 text.max_tokens=40". Throws config for one without a name.
struct Ablation {
  std::string name;
  std::vector<std::string> options;
};
Ablation parse_ablation(const std::string& text);
/// For each, the place of the last earlier one whose options are all among its own; nothing where there is none.
std::vector<std::optional<std::size_t>> ablation_bases(const std::vector<Ablation>& ablations);

/// Options of the training with the best validation MRR.
struct ChosenOptions {
  std::vector<std::string> options;  // with what is fixed
  double valid_mrr = 0;
  std::int64_t tried = 0;  // trainings: fewer than the budget where a loss has no more combinations
};
ChosenOptions choose_on_validation(StudyContext& context, const LossTableConfig& config, const StudyGraph& graph,
                                   const LossChoice& loss);

/// The table of one graph.
struct LossTable {
  std::string graph;
  std::vector<SeededRuns> rows;     // Simple, Hard, HaSa, HaSa+, then the ablations
  std::vector<std::int64_t> tried;  // of the first four
  std::vector<std::size_t> bases;   // the row that each ablation is compared with
};

/// What the tables say, whoever made them.
StudyResult loss_table_result(const std::vector<LossTable>& tables);

Study loss_table_study();

}  // namespace hasa
