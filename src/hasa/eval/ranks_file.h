#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/ranked_query.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// A ranked query with the data's ids, for writing and reading ranks.
struct RankRow {
  std::string head, relation, tail;  // ids of the triple, in either direction
  bool asks_tail = true;
  double optimistic = 1, realistic = 1, pessimistic = 1;
};

std::vector<RankRow> rank_rows(std::span<const RankedQuery> ranked, const Graph& graph);

/// Tab-separated, with a line of column names: head, relation, tail, direction (tail or head: what was predicted),
/// optimistic, realistic, pessimistic. Filtered ranks, in the order they come. A tab, line end or backslash in an id is
/// written \t, \n, \r or \\. The file is written atomically.
void write_ranks(const std::filesystem::path& file, std::span<const RankRow> rows);
/// Throws data, naming the line, for any other file.
std::vector<RankRow> read_ranks(const std::filesystem::path& file);

/// An id as written in a field of these files.
std::string escaped(std::string_view id);

}  // namespace hasa
