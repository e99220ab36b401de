#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hasa/eval/ranked_query.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// A ranked query in the words of the data: how ranks leave the program and come back.
struct RankRow {
  std::string head, relation, tail;  // ids; of the triple, whichever end was asked for
  bool asks_tail = true;
  double optimistic = 1, realistic = 1, pessimistic = 1;
};

std::vector<RankRow> rank_rows(std::span<const RankedQuery> ranked, const Graph& graph);

/// Tab-separated, with a line of column names: head, relation, tail, direction (tail or head: what was asked for),
/// optimistic, realistic, pessimistic. Filtered ranks, in the order they come. A tab, line end or backslash in an id is
/// written \t, \n, \r or \\. The file appears whole or not at all.
void write_ranks(const std::filesystem::path& file, std::span<const RankRow> rows);
/// Throws data, naming the line, for what is no such file.
std::vector<RankRow> read_ranks(const std::filesystem::path& file);

/// An id as it stands in a field of these files.
std::string escaped(std::string_view id);

}  // namespace hasa
