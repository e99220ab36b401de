// The folders of OpenKE, LibKGE and PyKEEN.

#include <zlib.h>

#include "hasa/base/error.h"
#include "hasa/kg/write/folder_writer.h"

namespace hasa {
namespace fs = std::filesystem;
namespace {

template <class Line>
void write_lines(const fs::path& path, std::size_t size, bool count_line, const Line& line) {
  AtomicFile file(path);
  if (count_line) file.write(fmt::format("{}\n", size));
  for (std::size_t i = 0; i < size; ++i) file.write(line(i));
  file.commit();
}

/// A file of gzip, in one go: the folder it is in appears whole or not at all.
class GzipFile {
 public:
  explicit GzipFile(const fs::path& path) : path_(path), file_(::gzopen(path.c_str(), "wb6")) {
    HASA_CHECK(file_ != nullptr, io, "cannot write {}", path_.string());
  }
  ~GzipFile() {
    if (file_ != nullptr) ::gzclose(file_);
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  void write(const std::string& text) {
    const int written = ::gzwrite(file_, text.data(), static_cast<unsigned>(text.size()));
    HASA_CHECK(text.empty() || written == static_cast<int>(text.size()), io, "cannot write {}: is the disk full?",
               path_.string());
  }
  void commit() {
    const int code = ::gzclose(file_);
    file_ = nullptr;
    HASA_CHECK(code == Z_OK, io, "cannot write {}: is the disk full?", path_.string());
  }

 private:
  fs::path path_;
  gzFile file_;
};

/// As pandas quotes a field of a table.
std::string table_field(std::string_view text) {
  if (text.find('"') == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += '"';
  }
  return quoted + "\"";
}

template <class IdOf>
void write_label_table(const fs::path& path, std::int32_t size, const IdOf& id_of) {
  GzipFile file(path);
  file.write("id\tlabel\n");
  for (std::int32_t i = 0; i < size; ++i)
    file.write(fmt::format("{}\t{}\n", i, table_field(checked_line_id(id_of(i)))));
  file.commit();
}

}  // namespace

void write_openke(const Graph& graph, const fs::path& folder) {
  const auto entity = [&](std::size_t i) {
    return fmt::format("{}\t{}\n", checked_line_id(graph.entity_id(static_cast<EntityId>(i))), i);
  };
  const auto relation = [&](std::size_t i) {
    return fmt::format("{}\t{}\n", checked_line_id(graph.relation_id(static_cast<RelationId>(i))), i);
  };
  write_lines(folder / "entity2id.txt", static_cast<std::size_t>(graph.entities()), true, entity);
  write_lines(folder / "relation2id.txt", static_cast<std::size_t>(graph.relations()), true, relation);
  for (const Split split : kSplits) {
    const auto triples = graph.triples(split);
    write_lines(folder / fmt::format("{}2id.txt", to_string(split)), triples.size(), true, [&](std::size_t i) {
      return fmt::format("{} {} {}\n", triples[i].head, triples[i].tail, triples[i].relation);
    });
  }
  write_text_tables(graph, folder);
}

void write_libkge(const Graph& graph, const fs::path& folder) {
  const auto entity = [&](std::size_t i) {
    return fmt::format("{}\t{}\n", i, checked_line_id(graph.entity_id(static_cast<EntityId>(i))));
  };
  const auto relation = [&](std::size_t i) {
    return fmt::format("{}\t{}\n", i, checked_line_id(graph.relation_id(static_cast<RelationId>(i))));
  };
  write_lines(folder / "entity_ids.del", static_cast<std::size_t>(graph.entities()), false, entity);
  write_lines(folder / "relation_ids.del", static_cast<std::size_t>(graph.relations()), false, relation);
  std::string files;
  for (const Split split : kSplits) {
    const auto triples = graph.triples(split);
    const std::string name = fmt::format("{}.del", to_string(split));
    write_lines(folder / name, triples.size(), false, [&](std::size_t i) {
      return fmt::format("{}\t{}\t{}\n", triples[i].head, triples[i].relation, triples[i].tail);
    });
    files += fmt::format("  files.{0}.filename: {1}\n  files.{0}.type: triples\n  files.{0}.size: {2}\n",
                         to_string(split), name, triples.size());
  }
  AtomicFile description(folder / "dataset.yaml");
  description.write(
      fmt::format("dataset:\n{}  files.entity_ids.filename: entity_ids.del\n  files.entity_ids.type: map\n"
                  "  files.relation_ids.filename: relation_ids.del\n  files.relation_ids.type: map\n"
                  "  num_entities: {}\n  num_relations: {}\n  name: {}\n",
                  files, graph.entities(), graph.relations(), "hasa-export"));
  description.commit();
  write_text_tables(graph, folder);
}

void write_pykeen(const Graph& graph, const fs::path& folder) {
  constexpr const char* kFolders[] = {"training", "validation", "testing"};
  for (const Split split : kSplits) {
    const fs::path part = folder / kFolders[static_cast<int>(split)];
    fs::create_directory(part);
    GzipFile file(part / "numeric_triples.tsv.gz");
    file.write("head\trelation\ttail\n");
    for (const Triple& t : graph.triples(split)) file.write(fmt::format("{}\t{}\t{}\n", t.head, t.relation, t.tail));
    file.commit();
    write_label_table(part / "entity_to_id.tsv.gz", graph.entities(), [&](EntityId e) { return graph.entity_id(e); });
    write_label_table(part / "relation_to_id.tsv.gz", graph.relations(),
                      [&](RelationId r) { return graph.relation_id(r); });
  }
  write_text_tables(graph, folder);
}

}  // namespace hasa
