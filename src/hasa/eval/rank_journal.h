#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "hasa/base/row_journal.h"
#include "hasa/eval/ranked_query.h"
#include "hasa/eval/ranking.h"

namespace hasa {

/// Ranks of a split's queries in a file (base/row_journal.h), written as they are
/// found, so that an evaluation that was interrupted or killed resumes, and a
/// larger sample continues a smaller one. Failing to write is not an error.
class RankJournal {
 public:
  /// `stamp` identifies what the ranks depend on: model, graph,
  /// split, program, device. A file with another stamp is replaced.
  RankJournal(std::filesystem::path path, std::uint64_t stamp, std::size_t queries);

  bool has(std::size_t query) const { return file_.has(query); }
  /// How many were in the file when it was opened.
  std::size_t found() const { return file_.found(); }
  /// The rank of a query that was in the file when it was opened; `triple` is the query's.
  RankedQuery at(std::size_t query, const Triple& triple) const;
  void add(std::span<const std::size_t> queries, std::span<const RankedQuery> ranked);
  /// Whether everything added is in the file.
  bool keeps() const { return file_.keeps(); }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  std::vector<float> values_;  // [queries, kWidth]
  RowJournal file_;
};

/// Ranks the queries at `places` among all of a split's queries, except those
/// already in the journal. Throws Stopped, with how to resume, on a stop signal.
std::vector<RankedQuery> rank_resumably(const Scorer& scorer, std::span<const Triple> queries,
                                        std::span<const std::size_t> places, const KnownAnswers& known,
                                        const RankingOptions& options, RankJournal& journal);

}  // namespace hasa
