#include "hasa/kg/lineage.h"

#include <algorithm>
#include <functional>
#include <set>

#include "hasa/base/error.h"
#include "hasa/kg/graph.h"

namespace hasa {
namespace {

void check_ids(const Graph& now, const Graph& before) {
  const auto differ = [](const char* what, std::string_view id) {
    fail(ErrorKind::data, "the graph has not grown from the other one: {} {} has another number", what, id);
  };
  for (EntityId e = 0; e < before.entities(); ++e) {
    if (e >= now.entities() || now.entity_id(e) != before.entity_id(e)) differ("entity", before.entity_id(e));
  }
  for (RelationId r = 0; r < before.relations(); ++r) {
    if (r >= now.relations() || now.relation_id(r) != before.relation_id(r)) differ("relation", before.relation_id(r));
  }
}

/// Numbers, each of them once and rising.
bool are_sorted_below(std::span<const std::int32_t> numbers, std::int64_t bound) {
  return std::is_sorted(numbers.begin(), numbers.end(), std::less_equal<>()) &&
         (numbers.empty() || (numbers.front() >= 0 && numbers.back() < bound));
}

}  // namespace

Lineage Lineage::of(const Graph& now, const Graph& before) {
  check_ids(now, before);
  Lineage lineage = before.lineage();
  const std::uint64_t hash = before.content_hash();
  if (now.content_hash() == hash) return lineage;
  Step step{.hash = hash, .entities = before.entities(), .relations = before.relations()};
  for (EntityId e = 0; e < before.entities(); ++e) {
    if (now.entity_name(e) == before.entity_name(e) && now.entity_description(e) == before.entity_description(e))
      continue;
    lineage.changed_.push_back(e);
    ++step.changed_entities;
  }
  for (RelationId r = 0; r < before.relations(); ++r) {
    if (now.relation_text(r) == before.relation_text(r)) continue;
    lineage.changed_.push_back(r);
    ++step.changed_relations;
  }
  lineage.steps_.push_back(step);
  return lineage;
}

std::vector<std::uint64_t> Lineage::ancestors() const {
  std::vector<std::uint64_t> hashes;
  for (const Step& step : steps_) hashes.push_back(step.hash);
  return hashes;
}

std::optional<Growth> Lineage::since(std::uint64_t ancestor) const {
  std::set<EntityId> entities;
  std::set<RelationId> relations;
  auto end = changed_.end();
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto of_relations = end - step->changed_relations, of_entities = of_relations - step->changed_entities;
    entities.insert(of_entities, of_relations);
    relations.insert(of_relations, end);
    end = of_entities;
    if (step->hash != ancestor) continue;
    Growth growth{.entities = static_cast<EntityId>(step->entities),
                  .relations = static_cast<RelationId>(step->relations),
                  .changed_entities = {},
                  .changed_relations = {}};
    // What came later and then changed is new.
    growth.changed_entities.assign(entities.begin(), entities.lower_bound(growth.entities));
    growth.changed_relations.assign(relations.begin(), relations.lower_bound(growth.relations));
    return growth;
  }
  return std::nullopt;
}

void Lineage::add_to(ArchiveWriter& writer) const {
  if (empty()) return;
  writer.add("lineage", steps_);
  writer.add("lineage.changed", changed_);
}

Lineage Lineage::read(const Archive& archive, EntityId entities, RelationId relations) {
  Lineage lineage;
  if (!archive.has("lineage")) return lineage;
  const auto steps = archive.section<Step>("lineage");
  const auto changed = archive.section<std::int32_t>("lineage.changed");
  std::int64_t most_entities = 0, most_relations = 0;
  std::size_t place = 0;
  const auto takes = [&](std::int64_t count, std::int64_t bound) {
    if (count < 0 || static_cast<std::size_t>(count) > changed.size() - place) return false;
    const auto own = changed.subspan(place, static_cast<std::size_t>(count));
    place += own.size();
    return are_sorted_below(own, bound);
  };
  for (const Step& step : steps) {
    const bool sound = step.entities >= most_entities && step.entities <= entities &&
                       step.relations >= most_relations && step.relations <= relations &&
                       takes(step.changed_entities, step.entities) && takes(step.changed_relations, step.relations);
    HASA_CHECK(sound, data, "{}: what the graph grew from does not fit it: the file is damaged",
               archive.path().string());
    most_entities = step.entities;
    most_relations = step.relations;
  }
  HASA_CHECK(place == changed.size(), data, "{}: what the graph grew from does not fit it: the file is damaged",
             archive.path().string());
  lineage.steps_.assign(steps.begin(), steps.end());
  lineage.changed_.assign(changed.begin(), changed.end());
  return lineage;
}

}  // namespace hasa
