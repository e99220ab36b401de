#include "hasa/kg/graph.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/hash.h"
#include "hasa/kg/fold_case.h"
#include "hasa/kg/graph_file.h"
#include "hasa/kg/name_index.h"

namespace hasa {

struct Graph::Lazy {
  std::once_flag once, hashed;
  NameIndex names;
  std::uint64_t hash = 0;
};

namespace {

template <class T>
std::uint64_t chain(std::uint64_t hash, std::span<const T> values) {
  return hash_bytes(values.data(), values.size_bytes(), hash);
}

std::uint64_t chain(std::uint64_t hash, const StringTable& strings) {
  return chain(chain(hash, strings.offsets()), strings.chars());
}

void check_table(const StringTable& table, std::size_t expected, const char* what) {
  HASA_CHECK(table.empty() || table.size() == expected, data, "{} {} for {} of them", table.size(), what, expected);
}

void check_triples(std::span<const Triple> triples, EntityId entities, RelationId relations, const char* split) {
  for (std::size_t i = 0; i < triples.size(); ++i) {
    const Triple& t = triples[i];
    // A negative number is a large one when unsigned.
    const bool sound = static_cast<std::uint32_t>(t.head) < static_cast<std::uint32_t>(entities) &&
                       static_cast<std::uint32_t>(t.tail) < static_cast<std::uint32_t>(entities) &&
                       static_cast<std::uint32_t>(t.relation) < static_cast<std::uint32_t>(relations);
    HASA_CHECK(sound, data, "{} triple {} is ({}, {}, {}), but there are {} entities and {} relations", split, i,
               t.head, t.relation, t.tail, entities, relations);
  }
}

/// Files of graphs without times do not have these sections.
std::string section_of_times(Split split) { return fmt::format("{}.times", to_string(split)); }

}  // namespace

Graph::Graph() : lazy_(std::make_unique<Lazy>()) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

Graph::Graph(GraphParts parts)
    : entity_ids_(std::move(parts.entities)),
      relation_ids_(std::move(parts.relations)),
      names_(std::move(parts.names)),
      descriptions_(std::move(parts.descriptions)),
      relation_texts_(std::move(parts.relation_texts)),
      lazy_(std::make_unique<Lazy>()) {
  for (std::size_t split = 0; split < triples_.size(); ++split) {
    triples_[split] = std::move(parts.triples[split]);
    times_[split] = std::move(parts.times[split]);
  }
  check();
  audit_ = hasa::audit(*this, std::move(parts.found));
  if (parts.grew_from != nullptr) lineage_ = Lineage::of(*this, *parts.grew_from);
}

void Graph::check() const {
  check_table(names_, entity_ids_.size(), "names of entities");
  check_table(descriptions_, entity_ids_.size(), "descriptions of entities");
  check_table(relation_texts_, relation_ids_.size(), "texts of relations");
  // Directed relations are numbered too, and are twice as many.
  HASA_CHECK(relation_ids_.size() < (std::size_t{1} << 30), data, "{} relations are too many", relation_ids_.size());
  for (const Split split : kSplits) {
    check_triples(triples(split), entities(), relations(), to_string(split));
    HASA_CHECK(times(split).empty() || times(split).size() == triples(split).size(), data,
               "{} times for {} triples of {}", times(split).size(), triples(split).size(), to_string(split));
  }
}

bool Graph::has_times() const {
  return std::any_of(kSplits.begin(), kSplits.end(), [this](Split split) { return !times(split).empty(); });
}

std::string_view Graph::entity_name(EntityId entity) const {
  return has_name(entity) ? names_[entity] : entity_ids_[entity];
}

std::string_view Graph::entity_description(EntityId entity) const {
  return descriptions_.empty() ? std::string_view() : descriptions_[entity];
}

std::string Graph::relation_text(RelationId relation) const {
  if (relation >= relations()) return "reverse of " + relation_text(relation - relations());
  return std::string(has_relation_text(relation) ? relation_texts_[relation] : relation_ids_[relation]);
}

const NameIndex& Graph::name_index() const {
  std::call_once(lazy_->once, [this] {
    if (archive_ == nullptr) {
      lazy_->names = NameIndex::build(entities(), [this](EntityId e) { return entity_name(e); });
    } else {
      lazy_->names =
          NameIndex::view(archive_->section<std::uint64_t>("name_index"), entities(), archive_->path().string());
    }
  });
  return lazy_->names;
}

std::vector<EntityId> Graph::entities_named(std::string_view name) const {
  const std::string folded = fold_case(name);
  std::vector<EntityId> exact, any_case;
  for (const EntityId entity : name_index().candidates(name)) {
    if (entity_name(entity) == name) exact.push_back(entity);
    if (fold_case(entity_name(entity)) == folded) any_case.push_back(entity);
  }
  return exact.empty() ? any_case : exact;
}

std::vector<RelationId> Graph::relations_named(std::string_view text) const {
  const std::string folded = fold_case(text);
  std::vector<RelationId> exact, any_case;
  for (RelationId relation = 0; relation < relations(); ++relation) {
    const std::string own = relation_text(relation);
    if (own == text) exact.push_back(relation);
    if (fold_case(own) == folded) any_case.push_back(relation);
  }
  return exact.empty() ? any_case : exact;
}

std::uint64_t Graph::content_hash() const {
  std::call_once(lazy_->hashed, [this] {
    std::uint64_t hash = chain(0, entity_ids_.strings());
    hash = chain(hash, relation_ids_.strings());
    for (const StringTable* table : {&names_, &descriptions_, &relation_texts_}) hash = chain(hash, *table);
    for (const Split split : kSplits) hash = chain(hash, triples(split));
    if (has_times()) {
      for (const Split split : kSplits) hash = chain(hash, times(split));
    }
    lazy_->hash = hash;
  });
  return lazy_->hash;
}

std::optional<Growth> Graph::growth_since(std::uint64_t hash) const {
  if (hash == content_hash()) return Growth{.entities = entities(), .relations = relations()};
  return lineage_.since(hash);
}

void Graph::save(const std::filesystem::path& folder, const std::filesystem::path& grew_from) const {
  ArchiveWriter writer("graph", kFormatVersion);
  entity_ids_.add_to(writer, "entities");
  relation_ids_.add_to(writer, "relations");
  names_.add_to(writer, "names");
  descriptions_.add_to(writer, "descriptions");
  relation_texts_.add_to(writer, "relation_texts");
  for (const Split split : kSplits) {
    writer.add(to_string(split), triples(split));
    if (has_times()) writer.add(section_of_times(split), times(split));
  }
  writer.add("name_index", name_index().entries());
  const std::string audit_text = to_json(audit_);
  writer.add("audit", std::string_view(audit_text));
  lineage_.add_to(writer);
  save_graph_folder(writer, folder, grew_from);
}

Graph Graph::from_archive(std::unique_ptr<Archive> archive) {
  Graph graph;
  graph.archive_ = std::move(archive);
  const Archive& file = *graph.archive_;
  graph.entity_ids_ = Vocabulary::view(file, "entities");
  graph.relation_ids_ = Vocabulary::view(file, "relations");
  graph.names_ = StringTable::view(file, "names");
  graph.descriptions_ = StringTable::view(file, "descriptions");
  graph.relation_texts_ = StringTable::view(file, "relation_texts");
  for (const Split split : kSplits) {
    graph.triples_[static_cast<int>(split)] = StoredArray<Triple>::viewing(file.section<Triple>(to_string(split)));
    if (file.has(section_of_times(split)))
      graph.times_[static_cast<int>(split)] =
          StoredArray<std::int64_t>::viewing(file.section<std::int64_t>(section_of_times(split)));
  }
  graph.check();
  graph.name_index();
  graph.audit_ = audit_from_json(file.text("audit"));
  graph.lineage_ = Lineage::read(file, graph.entities(), graph.relations());
  return graph;
}

Graph Graph::open(const std::filesystem::path& folder) {
  return from_archive(std::make_unique<Archive>(find_graph_file(folder), "graph", kFormatVersion));
}

Graph Graph::from_bytes(std::vector<std::byte> bytes, const std::string& name) {
  return from_archive(std::make_unique<Archive>(std::move(bytes), name, "graph", kFormatVersion));
}

}  // namespace hasa
