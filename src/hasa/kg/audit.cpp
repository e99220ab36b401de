#include "hasa/kg/audit.h"

#include <algorithm>
#include <span>

#include "hasa/base/error.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/head_groups.h"
#include "hasa/kg/name_index.h"

namespace hasa {
namespace {

std::string describe(const Graph& graph, const Triple& t) {
  return fmt::format("{} {} {}", graph.entity_id(t.head), graph.relation_id(t.relation), graph.entity_id(t.tail));
}

void find_missing_texts(const Graph& graph, Audit& audit) {
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const bool named = graph.has_name(e), described = !graph.entity_description(e).empty();
    if (named && described) continue;
    const std::string id(graph.entity_id(e));
    if (!named) audit.without_name.add(id);
    if (!described) audit.without_description.add(id);
    if (!named && !described) audit.without_text.add(id);
  }
  for (RelationId r = 0; r < graph.relations(); ++r) {
    if (!graph.has_relation_text(r)) audit.relations_without_text.add(std::string(graph.relation_id(r)));
  }
}

/// Equal names have equal hashes, which are neighbours in the index.
void find_shared_names(const Graph& graph, const NameIndex& index, Audit& audit) {
  const auto entries = index.entries();
  std::vector<std::string_view> names;
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    while (end < entries.size() && NameIndex::hash_of(entries[end]) == NameIndex::hash_of(entries[begin])) ++end;
    if (end - begin == 1) continue;
    names.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const EntityId entity = NameIndex::entity_of(entries[i]);
      if (graph.has_name(entity)) names.push_back(graph.entity_name(entity));
    }
    std::sort(names.begin(), names.end());
    for (auto at = names.begin(); at != names.end();) {
      const auto next = std::find_if(at, names.end(), [&](std::string_view name) { return name != *at; });
      if (next - at > 1) audit.shared_names.add(fmt::format("{} ({} entities)", *at, next - at));
      at = next;
    }
  }
}

/// Which entities and relations occur in which splits, a bit each.
struct Occurrences {
  std::vector<std::uint8_t> entities, relations;

  explicit Occurrences(const Graph& graph)
      : entities(static_cast<std::size_t>(graph.entities())), relations(static_cast<std::size_t>(graph.relations())) {
    for (const Split split : kSplits) {
      const auto bit = static_cast<std::uint8_t>(1 << static_cast<int>(split));
      for (const Triple& t : graph.triples(split)) {
        entities[t.head] |= bit;
        entities[t.tail] |= bit;
        relations[t.relation] |= bit;
      }
    }
  }
};

void find_unseen(const Graph& graph, Audit& audit) {
  constexpr std::uint8_t kTrain = 1, kTest = 4;
  const Occurrences in(graph);
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const std::uint8_t splits = in.entities[e];
    if ((splits & kTrain) != 0) continue;
    const std::string id(graph.entity_id(e));
    (splits == 0 ? audit.isolated : audit.unseen_entities).add(id);
    if ((splits & kTest) != 0) audit.unseen_test_entities.add(id);
  }
  for (RelationId r = 0; r < graph.relations(); ++r) {
    const std::uint8_t splits = in.relations[r];
    if ((splits & kTrain) != 0) continue;
    (splits == 0 ? audit.unused_relations : audit.unseen_relations).add(std::string(graph.relation_id(r)));
  }
}

// A triple without its head in one number, split last, so that copies of a triple are neighbours in order.
std::uint64_t key_of(const Triple& t, Split split) {
  return (std::uint64_t{static_cast<std::uint32_t>(t.relation)} << 33) |
         (std::uint64_t{static_cast<std::uint32_t>(t.tail)} << 2) | static_cast<std::uint64_t>(split);
}
Split split_of(std::uint64_t key) { return static_cast<Split>(key & 3); }
Triple triple_of(EntityId head, std::uint64_t key) {
  return {head, static_cast<RelationId>(key >> 33), static_cast<EntityId>((key >> 2) & 0x7FFFFFFF)};
}

struct Copies {
  Finding duplicates, leaked;
};

/// The copies of one triple: all keys are equal but for the split, and sorted.
void count_copies(const Graph& graph, EntityId head, std::span<const std::uint64_t> keys, Copies& found) {
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const char* split = to_string(split_of(keys[i]));
    const std::string words = describe(graph, triple_of(head, keys[i]));
    if (keys[i] == keys[i - 1]) {
      found.duplicates.add(fmt::format("{} (in {})", words, split));
    } else {
      found.leaked.add(fmt::format("{} (in {} and {})", words, to_string(split_of(keys[0])), split));
    }
  }
}

void find_copies(const Graph& graph, Audit& audit) {
  const HeadGroups groups = group_by_head(graph.entities(), [&](const auto& emit) {
    for (const Split split : kSplits) {
      for (const Triple& t : graph.triples(split)) emit(t.head, key_of(t, split));
    }
  });
  constexpr std::size_t kHeads = 1 << 14;
  std::vector<Copies> parts(static_cast<std::size_t>(graph.entities()) / kHeads + 1);
  parallel_for(static_cast<std::size_t>(graph.entities()), kHeads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t head = begin; head < end; ++head) {
      const auto keys = groups.of(static_cast<EntityId>(head));
      for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
        while (last < keys.size() && keys[last] >> 2 == keys[first] >> 2) ++last;
        count_copies(graph, static_cast<EntityId>(head), keys.subspan(first, last - first), parts[begin / kHeads]);
      }
    }
  });
  for (const Copies& part : parts) {
    audit.duplicates.append(part.duplicates);
    audit.leaked.append(part.leaked);
  }
  for (const Triple& t : graph.triples(Split::test)) {
    const auto keys = groups.of(t.tail);
    const std::uint64_t reverse = key_of({t.tail, t.relation, t.head}, Split::train);
    if (t.head != t.tail && std::binary_search(keys.begin(), keys.end(), reverse))
      audit.reversed.add(describe(graph, t));
  }
}

}  // namespace

Audit audit(const Graph& graph, Audit audit) {
  audit.entities = static_cast<std::uint64_t>(graph.entities());
  audit.relations = static_cast<std::uint64_t>(graph.relations());
  for (const Split split : kSplits) {
    audit.triples[static_cast<int>(split)] = graph.triples(split).size();
    for (const Triple& t : graph.triples(split)) {
      if (t.head == t.tail) audit.self_loops.add(describe(graph, t));
    }
  }
  find_missing_texts(graph, audit);
  // Without any names ids stand for them, and those are distinct.
  if (audit.without_name.count < audit.entities) find_shared_names(graph, graph.name_index(), audit);
  find_unseen(graph, audit);
  find_copies(graph, audit);
  return audit;
}

}  // namespace hasa
