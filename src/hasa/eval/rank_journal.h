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

/// Ranks of a split's queries in a file (base/row_journal.h), written as they are found, so that an evaluation that was
/// stopped or killed goes on where it was, and a larger sample where a smaller one ended. What cannot be written is not
/// kept, and that is no error.
class RankJournal {
 public:
  /// `stamp` says what the ranks depend on: model, graph, split, program, device. A file of another stamp is begun
  /// anew.
  RankJournal(std::filesystem::path path, std::uint64_t stamp, std::size_t queries);

  bool has(std::size_t query) const { return file_.has(query); }
  /// How many were there from the beginning.
  std::size_t found() const { return file_.found(); }
  /// Of a query that it had from the beginning; `triple` is its own.
  RankedQuery at(std::size_t query, const Triple& triple) const;
  void add(std::span<const std::size_t> queries, std::span<const RankedQuery> ranked);
  /// Whether everything that was added is in the file.
  bool keeps() const { return file_.keeps(); }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  std::vector<float> values_;  // [queries, kWidth]
  RowJournal file_;
};

/// Ranks the queries at `places` of all a split's queries, but for those that the journal has. Throws Stopped, with how
/// to go on, when a signal asks for it.
std::vector<RankedQuery> rank_resumably(const Scorer& scorer, std::span<const Triple> queries,
                                        std::span<const std::size_t> places, const KnownAnswers& known,
                                        const RankingOptions& options, RankJournal& journal);

}  // namespace hasa
