#include "hasa/eval/ranks_file.h"

#include <fmt/format.h>

#include <array>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/number_in.h"

namespace hasa {
namespace {

constexpr std::string_view kColumns = "head\trelation\ttail\tdirection\toptimistic\trealistic\tpessimistic";
constexpr std::string_view kSpecial = "\t\n\r\\", kLetters = "tnr\\";

std::string unescaped(std::string_view field) {
  std::string id;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::size_t letter =
        field[i] == '\\' && i + 1 < field.size() ? kLetters.find(field[i + 1]) : std::string_view::npos;
    if (letter == std::string_view::npos) {
      id += field[i];
    } else {
      id += kSpecial[letter];
      ++i;
    }
  }
  return id;
}

using Fields = std::array<std::string_view, 7>;

/// Whether the line has exactly that many fields.
bool split(std::string_view line, Fields& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != (i + 1 == fields.size())) return false;
    fields[i] = line.substr(0, tab);
    line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
  }
  return true;
}

bool read_rank(std::string_view text, double& rank) {
  rank = number_in<double>(text).value_or(0);
  return rank >= 1 && rank < 1e12;
}

RankRow row_of(std::string_view line, const std::string& place) {
  Fields f;
  HASA_CHECK(split(line, f), data, "{}: expected 7 fields separated by tabs: {}", place, kColumns);
  HASA_CHECK(f[3] == "tail" || f[3] == "head", data, "{}: direction is \"{}\", expected tail or head", place, f[3]);
  RankRow row{unescaped(f[0]), unescaped(f[1]), unescaped(f[2]), f[3] == "tail"};
  HASA_CHECK(read_rank(f[4], row.optimistic) && read_rank(f[5], row.realistic) && read_rank(f[6], row.pessimistic) &&
                 row.optimistic <= row.realistic && row.realistic <= row.pessimistic,
             data, "{}: expected three ranks, optimistic <= realistic <= pessimistic, from 1 on", place);
  return row;
}

}  // namespace

std::string escaped(std::string_view id) {
  std::string field;
  for (const char c : id) {
    const std::size_t special = kSpecial.find(c);
    if (special == std::string_view::npos) {
      field += c;
    } else {
      field += '\\';
      field += kLetters[special];
    }
  }
  return field;
}

std::vector<RankRow> rank_rows(std::span<const RankedQuery> ranked, const Graph& graph) {
  std::vector<RankRow> rows;
  rows.reserve(ranked.size());
  for (const RankedQuery& query : ranked) {
    const bool tail = query.triple.relation < graph.relations();
    const Triple triple = tail ? query.triple : inverse(query.triple, graph.relations());
    rows.push_back({std::string(graph.entity_id(triple.head)), std::string(graph.relation_id(triple.relation)),
                    std::string(graph.entity_id(triple.tail)), tail, query.optimistic(), query.realistic(),
                    query.pessimistic()});
  }
  return rows;
}

void write_ranks(const std::filesystem::path& path, std::span<const RankRow> rows) {
  AtomicFile file(path);
  file.write(fmt::format("{}\n", kColumns));
  for (const RankRow& row : rows) {
    file.write(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", escaped(row.head), escaped(row.relation), escaped(row.tail),
                           row.asks_tail ? "tail" : "head", row.optimistic, row.realistic, row.pessimistic));
  }
  file.commit();
}

std::vector<RankRow> read_ranks(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  std::string_view rest = text;
  std::vector<RankRow> rows;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (number > 1) {
      rows.push_back(row_of(line, fmt::format("{}:{}", path.string(), number)));
      continue;
    }
    HASA_CHECK(line == kColumns, data,
               "{} is not a ranks file: its first line is not \"{}\"\nexpected a file written by hasa eval --ranks",
               path.string(), escaped(kColumns));
  }
  HASA_CHECK(!rows.empty(), data, "{} has no ranks", path.string());
  return rows;
}

}  // namespace hasa
