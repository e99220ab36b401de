#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/study/seed_mean.h"
#include "hasa/study/study.h"
#include "hasa/study/study_recipe.h"

namespace hasa {

/// When is HaSa's correction for false negatives worth something? Training triples are left out, so that there are
/// false negatives to correct for, and Hard InfoNCE is trained on the rest, HaSa, and an oracle: Hard InfoNCE that has
/// the missing triples left out of its negatives, which is the most that a correction can do.
struct StructureConfig {
  StudyRecipe recipe;
  std::vector<std::string> left_out, candidates, taus, further;
  std::int64_t seeds = 3;

  static StructureConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = StructureConfig;
    field("recipe", &C::recipe, "the trainings, of model.type=frozen; loss.beta is theirs");
    field("left_out", &C::left_out, "shares of the training triples that are missing from the graph");
    field("candidates", &C::candidates, "how many entities answers are told from (negatives.candidates); 0: all");
    field("taus", &C::taus, "what HaSa may choose from, on validation, under each condition");
    field("further", &C::further, "graphs beside those of --graph, such as a dense one: synthetic:400:6000");
    field("seeds", &C::seeds, "of each condition, each with triples of its own left out", Range{2, 100});
  }
};

/// What one training came to.
struct StructureFigures {
  double valid_mrr = 0, mrr = 0;  // mrr: on test, filtered with the missing triples too
};

/// Under one condition, from one seed, over the same triples.
struct StructureSeed {
  double false_negatives = 0;  // among the negatives of a training query, mean
  StructureFigures hard, oracle;
  std::vector<StructureFigures> hasa;  // by tau
};

struct StructureCondition {
  std::string graph;
  double degree = 0;  // mean, of the whole training graph, undirected
  double left_out = 0;
  std::int64_t candidates = 0;  // 0: all entities
  std::vector<std::string> taus;
  std::vector<StructureSeed> seeds;

  /// The place of the tau with the best validation MRR, averaged over the seeds.
  std::size_t best_tau() const;
  /// Test MRR less Hard InfoNCE's, seed by seed.
  SeedMean gain_of_hasa() const;
  SeedMean gain_of_oracle() const;
  double false_negatives() const;
  /// "animal, 50% left out, all candidates"
  std::string name() const;
};

/// Entities among a training query's negatives that are its answers in `whole` and not in `retained`, averaged over the
/// queries of both directions: of all of them if every entity is a candidate (0), else of some batches as training
/// draws them. Both graphs have the same entities and relations.
double false_negatives_of_a_query(const Graph& whole, const Graph& retained, std::int64_t candidates,
                                  std::int64_t batch, std::uint64_t seed);

/// Claim 4, under each condition.
Verdict judge_structure(const std::vector<StructureCondition>& conditions);

StudyResult structure_result(const std::vector<StructureCondition>& conditions);

Study structure_study();

}  // namespace hasa
