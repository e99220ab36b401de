#pragma once

#include <span>
#include <vector>

#include "hasa/dist/comm.h"
#include "hasa/eval/rank_journal.h"
#include "hasa/eval/ranking.h"
#include "hasa/eval/top_answers.h"

namespace hasa {

/// rank_queries by several processes, each of which ranks its share; all of them get all ranks. What the options hear
/// of is the share.
std::vector<RankedQuery> rank_together(const Scorer& scorer, std::span<const Triple> queries, const KnownAnswers& known,
                                       const RankingOptions& options, Comm& comm);

/// rank_resumably by several processes: part after part of the queries is divided among them. Rank 0 keeps the journal,
/// the others have none; all of them get all ranks.
std::vector<RankedQuery> rank_resumably_together(const Scorer& scorer, std::span<const Triple> queries,
                                                 std::span<const std::size_t> places, const KnownAnswers& known,
                                                 const RankingOptions& options, RankJournal* journal, Comm& comm);

/// What all processes collected of their shares, as one would have of all queries.
std::vector<TopAnswers> gather_top_answers(std::vector<TopAnswers> own, Comm& comm);

}  // namespace hasa
