#include "hasa/eval/rank_together.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <set>
#include <string>

#include "hasa/base/progress_line.h"
#include "hasa/base/stop_signal.h"

namespace hasa {
namespace {

constexpr std::int64_t kNumbersOfARank = 4;
constexpr std::size_t kPartPerProcess = 16;  // queries that are ranked between two writes to a journal
constexpr std::int64_t kNumbersOfAnAnswer = 3, kNumbersOfAQuery = 3;
constexpr std::int64_t kNumbersOfTop = kNumbersOfAQuery + TopAnswersOf::kDepth * kNumbersOfAnAnswer;

[[noreturn]] void stop(std::size_t ranked, std::size_t all, const RankJournal* journal) {
  const std::string done =
      fmt::format("interrupted by a signal with {} of {} queries ranked", format_count(ranked), format_count(all));
  if (journal == nullptr || !journal->keeps()) throw Stopped(done);
  throw Stopped(fmt::format("{}\n{} keeps them: the same command resumes from there", done, journal->path().string()));
}

/// A query and its answers as numbers, and back.
void write_top(const TopAnswers& top, std::int64_t* to) {
  *to++ = top.query.given;
  *to++ = top.query.relation;
  *to++ = std::ssize(top.entities);
  for (std::size_t i = 0; i < top.entities.size(); ++i) {
    *to++ = top.entities[i];
    *to++ = std::bit_cast<std::int32_t>(top.scores[i]);
    *to++ = top.is_true[i];
  }
}
TopAnswers read_top(const std::int64_t* from) {
  TopAnswers top{{static_cast<EntityId>(from[0]), static_cast<RelationId>(from[1])}, {}, {}, {}};
  const std::int64_t count = from[2];
  from += kNumbersOfAQuery;
  for (std::int64_t i = 0; i < count; ++i, from += kNumbersOfAnAnswer) {
    top.entities.push_back(static_cast<EntityId>(from[0]));
    top.scores.push_back(std::bit_cast<float>(static_cast<std::int32_t>(from[1])));
    top.is_true.push_back(static_cast<std::uint8_t>(from[2]));
  }
  return top;
}

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

std::vector<RankedQuery> rank_resumably_together(const Scorer& scorer, std::span<const Triple> queries,
                                                 std::span<const std::size_t> places, const KnownAnswers& known,
                                                 const RankingOptions& options, RankJournal* journal, Comm& comm) {
  std::vector<std::int64_t> missing;  // places that no earlier call ranked
  if (journal != nullptr) {
    for (const std::size_t place : places)
      if (!journal->has(place)) missing.push_back(static_cast<std::int64_t>(place));
  }
  missing = comm.broadcast(missing);
  const StopSignal signal;
  std::vector<RankedQuery> fresh;
  const std::size_t part = kPartPerProcess * static_cast<std::size_t>(comm.size());
  while (fresh.size() < missing.size()) {
    std::vector<std::size_t> now;
    std::vector<Triple> asked;
    for (std::size_t i = fresh.size(); i < std::min(fresh.size() + part, missing.size()); ++i) {
      now.push_back(static_cast<std::size_t>(missing[i]));
      asked.push_back(queries[now.back()]);
    }
    const std::vector<RankedQuery> ranked = rank_together(scorer, asked, known, options, comm);
    if (journal != nullptr) journal->add(now, ranked);
    fresh.insert(fresh.end(), ranked.begin(), ranked.end());
    if (comm.any(signal.requested()) && fresh.size() < missing.size())
      stop(places.size() - missing.size() + fresh.size(), places.size(), journal);
  }
  // Ranks of earlier calls are rank 0's to tell.
  std::vector<std::int64_t> kept;
  if (journal != nullptr) {
    for (const std::size_t place : places) {
      if (std::ranges::binary_search(missing, static_cast<std::int64_t>(place))) continue;
      const RankedQuery found = journal->at(place, queries[place]);
      kept.insert(kept.end(), {found.better, found.equal, found.known_better, found.known_equal});
    }
  }
  kept = comm.broadcast(kept);
  std::vector<RankedQuery> all;
  auto next = fresh.begin();
  const std::int64_t* from = kept.data();
  for (const std::size_t place : places) {
    if (std::ranges::binary_search(missing, static_cast<std::int64_t>(place))) {
      all.push_back(*next++);
    } else {
      all.push_back({queries[place], from[0], from[1], from[2], from[3]});
      from += kNumbersOfARank;
    }
  }
  return all;
}

std::vector<TopAnswers> gather_top_answers(std::vector<TopAnswers> own, Comm& comm) {
  if (comm.alone()) return own;
  const torch::Tensor counts = comm.all_gather(torch::full({1}, std::ssize(own), torch::kInt64)).view({-1});
  const std::vector<std::int64_t> rows(counts.const_data_ptr<std::int64_t>(),
                                       counts.const_data_ptr<std::int64_t>() + comm.size());
  torch::Tensor numbers = torch::zeros({std::ssize(own), kNumbersOfTop}, torch::kInt64);
  for (std::size_t i = 0; i < own.size(); ++i)
    write_top(own[i], numbers.data_ptr<std::int64_t>() + static_cast<std::int64_t>(i) * kNumbersOfTop);
  const torch::Tensor all = comm.gather_rows(numbers, rows);
  std::vector<TopAnswers> gathered;
  std::set<Query> seen;  // one whose triples are in two shares was collected twice
  for (std::int64_t i = 0; i < all.size(0); ++i) {
    TopAnswers top = read_top(all.const_data_ptr<std::int64_t>() + i * kNumbersOfTop);
    if (seen.insert(top.query).second) gathered.push_back(std::move(top));
  }
  return gathered;
}

}  // namespace hasa
