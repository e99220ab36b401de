// N-Triples, Turtle and KGTK.

#include <optional>

#include "hasa/kg/read/iri_names.h"
#include "hasa/kg/read/kgtk.h"
#include "hasa/kg/write/folder_writer.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRdfsLabel = "http://www.w3.org/2000/01/rdf-schema#label";
constexpr const char* kRdfsComment = "http://www.w3.org/2000/01/rdf-schema#comment";

std::string rdf_node(std::string_view id) {
  return is_blank_node(id) ? std::string(id) : fmt::format("<{}>", iri_of_id(id));
}

/// A predicate is an IRI in any case.
std::string rdf_predicate(std::string_view id) { return fmt::format("<{}>", iri_of_id(id)); }

std::string rdf_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': literal += "\\\""; break;
      case '\\': literal += "\\\\"; break;
      case '\n': literal += "\\n"; break;
      case '\r': literal += "\\r"; break;
      case '\t': literal += "\\t"; break;
      default: literal += c;
    }
  }
  return literal + "\"";
}

/// write(subject, property, text) for all texts, entities first.
template <class Write>
void for_each_text(const Graph& graph, const Write& write) {
  for (EntityId e = 0; e < graph.entities(); ++e) {
    if (graph.has_name(e)) write(graph.entity_id(e), false, graph.entity_name(e));
    if (!graph.entity_description(e).empty()) write(graph.entity_id(e), true, graph.entity_description(e));
  }
  for (RelationId r = 0; r < graph.relations(); ++r) {
    if (graph.has_relation_text(r)) write(graph.relation_id(r), false, std::string_view(graph.relation_text(r)));
  }
}

/// No file where there are no texts: an empty one would not be read back.
void write_texts_as_ntriples(const Graph& graph, const fs::path& path) {
  std::optional<AtomicFile> file;
  for_each_text(graph, [&](std::string_view id, bool comment, std::string_view text) {
    if (!file) file.emplace(path);
    file->write(fmt::format("{} <{}> {} .\n", rdf_node(id), comment ? kRdfsComment : kRdfsLabel, rdf_literal(text)));
  });
  if (file) file->commit();
}

}  // namespace

void write_ntriples(const Graph& graph, const fs::path& folder) {
  for (const Split split : kSplits) {
    AtomicFile file(folder / fmt::format("{}.nt", to_string(split)));
    for (const Triple& t : graph.triples(split))
      file.write(fmt::format("{} {} {} .\n", rdf_node(graph.entity_id(t.head)),
                             rdf_predicate(graph.relation_id(t.relation)), rdf_node(graph.entity_id(t.tail))));
    file.commit();
  }
  write_texts_as_ntriples(graph, folder / "texts.nt");
}

void write_turtle(const Graph& graph, const fs::path& folder) {
  for (const Split split : kSplits) {
    AtomicFile file(folder / fmt::format("{}.ttl", to_string(split)));
    file.write("# Statements of one subject that follow each other stand together.\n");
    const auto triples = graph.triples(split);
    for (std::size_t i = 0; i < triples.size(); ++i) {
      const bool goes_on = i > 0 && triples[i].head == triples[i - 1].head;
      if (!goes_on) file.write((i > 0 ? " .\n" : "") + rdf_node(graph.entity_id(triples[i].head)));
      file.write(fmt::format("{} {} {}", goes_on ? " ;\n   " : "",
                             rdf_predicate(graph.relation_id(triples[i].relation)),
                             rdf_node(graph.entity_id(triples[i].tail))));
    }
    if (!triples.empty()) file.write(" .\n");
    file.commit();
  }
  write_texts_as_ntriples(graph, folder / "texts.ttl");  // N-Triples are Turtle too
}

void write_kgtk(const Graph& graph, const fs::path& folder) {
  const auto symbol = [](std::string_view id) {
    return is_kgtk_symbol(id) && !id.starts_with(kOwnNamespace) ? std::string(id) : wrapped_id(id);
  };
  for (const Split split : kSplits) {
    AtomicFile file(folder / fmt::format("{}.tsv", to_string(split)));
    file.write("node1\tlabel\tnode2\n");
    for (const Triple& t : graph.triples(split))
      file.write(fmt::format("{}\t{}\t{}\n", symbol(graph.entity_id(t.head)), symbol(graph.relation_id(t.relation)),
                             symbol(graph.entity_id(t.tail))));
    file.commit();
  }
  AtomicFile file(folder / "texts.tsv");
  file.write("node1\tlabel\tnode2\n");
  for_each_text(graph, [&](std::string_view id, bool comment, std::string_view text) {
    file.write(fmt::format("{}\t{}\t{}\n", symbol(id), comment ? "description" : "label", kgtk_text(text, "")));
  });
  file.commit();
}

}  // namespace hasa
