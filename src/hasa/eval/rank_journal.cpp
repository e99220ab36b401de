#include "hasa/eval/rank_journal.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "hasa/base/progress_line.h"
#include "hasa/base/stop_signal.h"
#include "hasa/model/query_columns.h"

namespace hasa {
namespace {

// A count of entities is two numbers, count / kHalf and the rest, each of which a float holds exactly.
constexpr std::int64_t kHalf = std::int64_t{1} << 24;
constexpr std::size_t kCounts = 4;
constexpr std::size_t kWidth = 2 * kCounts;

std::array<std::int64_t, kCounts> counts_of(const RankedQuery& ranked) {
  return {ranked.better, ranked.equal, ranked.known_better, ranked.known_equal};
}

}  // namespace

RankJournal::RankJournal(std::filesystem::path path, std::uint64_t stamp, std::size_t queries)
    : values_(queries * kWidth), file_(std::move(path), stamp, kWidth, values_) {}

RankedQuery RankJournal::at(std::size_t query, const Triple& triple) const {
  std::array<std::int64_t, kCounts> counts{};
  for (std::size_t i = 0; i < kCounts; ++i) {
    const float* halves = values_.data() + query * kWidth + 2 * i;
    counts[i] = static_cast<std::int64_t>(halves[0]) * kHalf + static_cast<std::int64_t>(halves[1]);
  }
  return {triple, counts[0], counts[1], counts[2], counts[3]};
}

void RankJournal::add(std::span<const std::size_t> queries, std::span<const RankedQuery> ranked) {
  std::vector<std::int64_t> rows(queries.begin(), queries.end());
  std::vector<float> values;
  for (const RankedQuery& query : ranked) {
    for (const std::int64_t count : counts_of(query)) {
      values.push_back(static_cast<float>(count / kHalf));
      values.push_back(static_cast<float>(count % kHalf));
    }
  }
  file_.add(rows, values);
}

std::vector<RankedQuery> rank_resumably(const Scorer& scorer, std::span<const Triple> queries,
                                        std::span<const std::size_t> places, const KnownAnswers& known,
                                        const RankingOptions& options, RankJournal& journal) {
  std::vector<std::size_t> missing;
  std::vector<Triple> asked;
  for (const std::size_t place : places) {
    if (journal.has(place)) continue;
    missing.push_back(place);
    asked.push_back(queries[place]);
  }
  const KnownIndex index(known, scorer.device());
  const StopSignal stop;
  std::vector<RankedQuery> fresh;
  for_each_scored(scorer, asked, options, [&](const ScoredQueries& part) {
    const std::size_t before = fresh.size();
    append_ranks(part.scores, part.queries, index, fresh);
    journal.add(std::span(missing).subspan(before, part.queries.size()), std::span(fresh).subspan(before));
    if (!stop.requested() || fresh.size() == asked.size()) return;
    const std::string done =
        fmt::format("interrupted by a signal with {} of {} queries ranked",
                    format_count(places.size() - asked.size() + fresh.size()), format_count(places.size()));
    if (!journal.keeps()) throw Stopped(done);
    throw Stopped(fmt::format("{}\n{} keeps them: the same command resumes from there", done, journal.path().string()));
  });
  std::vector<RankedQuery> ranked;
  auto next = fresh.begin();
  for (const std::size_t place : places)
    ranked.push_back(journal.has(place) ? journal.at(place, queries[place]) : *next++);
  return ranked;
}

}  // namespace hasa
