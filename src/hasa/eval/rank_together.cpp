#include "hasa/eval/rank_together.h"

#include <cstddef>

namespace hasa {
namespace {

constexpr std::int64_t kNumbersOfARank = 4;

}  // namespace

std::vector<RankedQuery> rank_together(const Scorer& scorer, std::span<const Triple> queries, const KnownAnswers& known,
                                       const RankingOptions& options, Comm& comm) {
  if (comm.alone()) return rank_queries(scorer, queries, known, options);
  const RowShare share = comm.share_of(std::ssize(queries));
  const auto own = queries.subspan(static_cast<std::size_t>(share.first), static_cast<std::size_t>(share.count));
  torch::Tensor numbers = torch::empty({share.count, kNumbersOfARank}, torch::kInt64);
  auto* to = numbers.data_ptr<std::int64_t>();
  const auto here = own.empty() ? std::vector<RankedQuery>() : rank_queries(scorer, own, known, options);
  for (const RankedQuery& each : here) {
    for (const std::int64_t number : {each.better, each.equal, each.known_better, each.known_equal}) *to++ = number;
  }
  const torch::Tensor all = comm.gather_shares(numbers, std::ssize(queries));
  const auto* from = all.const_data_ptr<std::int64_t>();
  std::vector<RankedQuery> ranked;
  ranked.reserve(queries.size());
  for (const Triple& triple : queries) {
    ranked.push_back({triple, from[0], from[1], from[2], from[3]});
    from += kNumbersOfARank;
  }
  return ranked;
}

}  // namespace hasa
