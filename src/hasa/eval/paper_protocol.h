#pragma once

#include <vector>

#include "hasa/eval/ranking.h"

namespace hasa {

/// What the paper's released program measures, only for comparison with its printed figures.
/// It is easier than the standard protocol, and the two are not comparable.
///
///   - only the first 12 batches of 256 queries; a triple is followed by its inverse
///   - the query's own head is not a candidate, nor are known answers of any split
///   - an entity outranks the answer only if exp(its score) > exp(the answer's score) + 0.001
///   - the mean rank counts from 0
///
/// The comparison is made on logarithms, score > log(exp(answer) + 0.001) in double, so that no score is too large
/// for it. (The released program takes exponentials in float32: past a score of 88 they are infinite there, and
/// nothing outranks anything. That is not imitated.)
struct PaperScores {
  std::int64_t queries = 0;
  double mean_rank = 0;  // from 0
  double mrr = 0;        // of ranks from 1
  double hits_at_1 = 0, hits_at_3 = 0, hits_at_10 = 0;
};

constexpr std::size_t kPaperQueries = std::size_t{12} * 256;

/// better: entities that outrank the answer; equal: 0, because ties and near misses count for the answer.
std::vector<RankedQuery> rank_as_the_paper(const Scorer& scorer, const Graph& graph, const KnownAnswers& known,
                                           Split split, const RankingOptions& options = {});
PaperScores paper_scores(std::span<const RankedQuery> ranked);

/// The score an entity must exceed to outrank an answer of this score: log(exp(score) + 0.001).
double paper_threshold(double score);

}  // namespace hasa
