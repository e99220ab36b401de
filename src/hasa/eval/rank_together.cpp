#include "hasa/eval/rank_together.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "hasa/base/progress.h"
#include "hasa/model/query_columns.h"
#include "hasa/model/sharded_scorer.h"
#include "hasa/ops/score/filtered_rank.h"

namespace hasa {
namespace {

constexpr std::int64_t kNumbersOfARank = 4;

torch::Tensor as_numbers(std::span<const RankedQuery> ranked) {
  torch::Tensor numbers = torch::empty({std::ssize(ranked), kNumbersOfARank}, torch::kInt64);
  auto* to = numbers.data_ptr<std::int64_t>();
  for (const RankedQuery& each : ranked)
    for (const std::int64_t number : {each.better, each.equal, each.known_better, each.known_equal}) *to++ = number;
  return numbers;
}

std::vector<RankedQuery> as_ranks(const torch::Tensor& numbers, std::span<const Triple> queries) {
  const auto* from = numbers.const_data_ptr<std::int64_t>();
  std::vector<RankedQuery> ranked;
  ranked.reserve(queries.size());
  for (const Triple& triple : queries) {
    ranked.push_back({triple, from[0], from[1], from[2], from[3]});
    from += kNumbersOfARank;
  }
  return ranked;
}

/// Those of a shard, as its columns.
IdRanges known_in(RowShare shard, const RaggedIds& known, const torch::Device& device) {
  const torch::Tensor in = known.ids.ge(shard.first).logical_and_(known.ids.lt(shard.first + shard.count));
  const torch::Tensor before = torch::cat({torch::zeros({1}, torch::kInt64), in.to(torch::kInt64).cumsum(0)});
  const RaggedIds here{known.ids.masked_select(in) - shard.first, before.index_select(0, known.offsets)};
  return here.to(device).ranges();
}

/// [queries, 4]: better, equal, known better, known equal, among this process's entities alone.
torch::Tensor counts_here(const ShardedScorer& scorer, std::span<const Triple> queries, const KnownAnswers& known) {
  Comm& comm = scorer.comm();
  const RowShare shard = comm.share_of(scorer.num_entities());
  std::vector<Query> asked;
  for (const Triple& triple : queries) asked.push_back(query_of(triple));
  const torch::Tensor own = scorer.own_scores(asked);
  const ShardColumns answers = columns_in(shard, columns_of(queries, own.device()).tails);
  torch::Tensor reached = own.new_zeros({own.size(0)});
  if (shard.count > 0) {
    const torch::Tensor scores = own.gather(1, answers.columns.unsqueeze(1)).squeeze(1);
    reached = torch::where(answers.here, scores, reached);
  }
  comm.all_reduce(reached);
  // A column with the answers' scores, behind the others, takes the place of those that are elsewhere. Where the answer
  // is here, this copy of it is taken off again.
  const torch::Tensor targets =
      torch::where(answers.here, answers.columns, torch::full_like(answers.columns, shard.count));
  const RankCounts counts = rank_from_scores(torch::cat({own, reached.unsqueeze(1)}, 1), targets,
                                             known_in(shard, known_rows(known, queries), own.device()));
  return torch::stack(
             {counts.better, counts.equal - answers.here.to(torch::kInt64), counts.known_better, counts.known_equal}, 1)
      .cpu();
}

std::vector<RankedQuery> rank_sharded(const ShardedScorer& scorer, std::span<const Triple> queries,
                                      const KnownAnswers& known, const RankingOptions& options) {
  const torch::NoGradGuard no_grad;
  const std::size_t at_a_time = queries_within(scorer, options.budget_bytes);
  std::optional<Progress> progress;
  if (options.show_progress) progress.emplace("ranking", queries.size(), "queries");
  std::vector<torch::Tensor> counts{torch::zeros({0, kNumbersOfARank}, torch::kInt64)};
  for (std::size_t first = 0; first < queries.size(); first += at_a_time) {
    const auto part = queries.subspan(first, std::min(at_a_time, queries.size() - first));
    counts.push_back(counts_here(scorer, part, known));
    if (progress) progress->advance(part.size());
  }
  torch::Tensor all = torch::cat(counts);
  scorer.comm().all_reduce(all);
  return as_ranks(all, queries);
}

}  // namespace

std::vector<RankedQuery> rank_together(const Scorer& scorer, std::span<const Triple> queries, const KnownAnswers& known,
                                       const RankingOptions& options, Comm& comm) {
  if (comm.alone()) return rank_queries(scorer, queries, known, options);
  if (const auto* sharded = dynamic_cast<const ShardedScorer*>(&scorer))
    return rank_sharded(*sharded, queries, known, options);
  const RowShare share = comm.share_of(std::ssize(queries));
  const auto own = queries.subspan(static_cast<std::size_t>(share.first), static_cast<std::size_t>(share.count));
  const auto here = own.empty() ? std::vector<RankedQuery>() : rank_queries(scorer, own, known, options);
  return as_ranks(comm.gather_shares(as_numbers(here), std::ssize(queries)), queries);
}

}  // namespace hasa
