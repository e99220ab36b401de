#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hasa/base/file.h"
#include "hasa/kg/graph.h"

namespace hasa {

// Each fills a folder that is there; see export_graph.h.
void write_tsv(const Graph& graph, const std::filesystem::path& folder);
void write_csv(const Graph& graph, const std::filesystem::path& folder);
void write_json_lines(const Graph& graph, const std::filesystem::path& folder);
void write_ntriples(const Graph& graph, const std::filesystem::path& folder);
void write_turtle(const Graph& graph, const std::filesystem::path& folder);
void write_kgtk(const Graph& graph, const std::filesystem::path& folder);
void write_openke(const Graph& graph, const std::filesystem::path& folder);
void write_libkge(const Graph& graph, const std::filesystem::path& folder);
void write_pykeen(const Graph& graph, const std::filesystem::path& folder);

/// entities.tsv and relations.tsv, as a benchmark folder has them.
void write_text_tables(const Graph& graph, const std::filesystem::path& folder);

/// The id, when it can stand in a line of separated fields. Throws data, naming formats that hold any id.
std::string_view checked_line_id(std::string_view id);
/// What a file without a header begins with: "", or a byte-order mark of its own where its first id begins with one,
/// since readers take the first for no part of the text.
std::string_view mark_before(std::string_view first_id);
/// With spaces for tabs and line ends.
std::string on_one_line(std::string_view text);

/// "" where the source gave none.
inline std::string_view name_or_nothing(const Graph& graph, EntityId entity) {
  return graph.has_name(entity) ? graph.entity_name(entity) : std::string_view();
}
inline std::string relation_text_or_nothing(const Graph& graph, RelationId relation) {
  return graph.has_relation_text(relation) ? graph.relation_text(relation) : std::string();
}

}  // namespace hasa
