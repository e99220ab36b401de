#include "hasa/kg/read/graph_gatherer.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

/// A text given of the relation itself comes before one given of an entity with its id.
constexpr std::uint8_t kOfAnEntity = 200;
/// Any text that comes later takes the place of one that a graph had before.
constexpr std::uint8_t kOfBefore = 250;

/// Copies in chunks, since a vector that doubles takes three times its size while it does.
template <class T>
void make_room(std::vector<T>& values, std::size_t size) {
  if (size > values.capacity()) values.reserve(size + size / 4);
  values.resize(size);
}

}  // namespace

GraphGatherer::GraphGatherer(const Graph& graph) {
  for (EntityId e = 0; e < graph.entities(); ++e) {
    entities.add(graph.entity_id(e));
    if (graph.has_name(e)) entity_texts.offer(e, TextKind::name, kOfBefore, graph.entity_name(e));
    if (!graph.entity_description(e).empty())
      entity_texts.offer(e, TextKind::description, kOfBefore, graph.entity_description(e));
  }
  for (RelationId r = 0; r < graph.relations(); ++r) {
    relations.add(graph.relation_id(r));
    if (graph.has_relation_text(r)) relation_texts.offer(r, TextKind::description, kOfBefore, graph.relation_text(r));
  }
  for (const Split split : kSplits) {
    const auto of_split = static_cast<std::size_t>(split);
    triples[of_split].assign(graph.triples(split).begin(), graph.triples(split).end());
    times[of_split].assign(graph.times(split).begin(), graph.times(split).end());
  }
}

void GraphGatherer::read(ByteSource& source, Blocks& blocks, Split split, const ParsePiece& parse) {
  Progress progress("reading " + source.name(), source.bytes_on_disk(), "bytes");
  std::uint64_t line = 1, taken = 0;
  const std::size_t at_once = 4 * thread_count();
  std::vector<std::string> texts(at_once);
  for (bool first = true;; first = false) {
    std::size_t size = 0;
    while (size < at_once && blocks.next(texts[size])) ++size;
    if (size == 0) break;
    std::vector<Statements> pieces(size);
    parallel_for(size, 1, [&](std::size_t i, std::size_t) {
      parse(texts[i], first && i == 0, pieces[i]);
      pieces[i].entities.look_up(entities);
      pieces[i].relations.look_up(relations);
    });
    merge(pieces, source.name(), line, split);
    progress.advance(source.bytes_taken() - taken);
    taken = source.bytes_taken();
    progress.set_note(format_count(line - 1) + " lines");
  }
  progress.finish();
}

void GraphGatherer::add(Statements& statements, const std::string& file, Split split) {
  std::vector<Statements> pieces(1);
  std::swap(pieces[0], statements);
  pieces[0].entities.look_up(entities);
  pieces[0].relations.look_up(relations);
  std::uint64_t line = 1;
  merge(pieces, file, line, split);
}

void GraphGatherer::merge(std::vector<Statements>& pieces, const std::string& file, std::uint64_t& line, Split split) {
  std::vector<Triple>& all = triples[static_cast<std::size_t>(split)];
  std::vector<std::int64_t>& all_times = times[static_cast<std::size_t>(split)];
  std::vector<std::size_t> places;
  std::size_t size = all.size();
  for (Statements& piece : pieces) {
    piece.entities.add_missing_to(entities);
    piece.relations.add_missing_to(relations);
    problems.append(piece.problems, file, line);
    left_out.append(piece.left_out);
    line += piece.lines;
    take_texts(piece);
    places.push_back(size);
    size += piece.triples.size();
    // Files with times and files without may come together: what has none is as old as can be.
    if (!piece.times.empty() || !all_times.empty()) {
      all_times.resize(places.back(), INT64_MIN);
      all_times.insert(all_times.end(), piece.times.begin(), piece.times.end());
      all_times.resize(size, INT64_MIN);
    }
  }
  make_room(all, size);
  parallel_for(pieces.size(), 1, [&](std::size_t i, std::size_t) {
    std::size_t at = places[i];
    for (const Triple& t : pieces[i].triples) {
      all[at++] = {pieces[i].entities.number(t.head), pieces[i].relations.number(t.relation),
                   pieces[i].entities.number(t.tail)};
    }
  });
}

void GraphGatherer::take_texts(const Statements& piece) {
  for (const TextStatement& text : piece.texts) {
    HeldTexts& held = text.of_relation ? relation_texts : entity_texts;
    const LocalIds& ids = text.of_relation ? piece.relations : piece.entities;
    held.offer(ids.number(text.subject), text.kind, text.rank, text.text);
  }
}

Finding GraphGatherer::settle_entities_without_triples(bool listed, std::size_t members) {
  std::vector<bool> named(entities.size());
  for (const std::vector<Triple>& split : triples) {
    for (const Triple& t : split)
      named[static_cast<std::size_t>(t.head)] = named[static_cast<std::size_t>(t.tail)] = true;
  }
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const auto entity = entities.find(relations[r]);
    if (!entity) continue;
    // A relation has one text: its name, or where it has none its description.
    const std::string_view name = entity_texts.of(*entity, TextKind::name);
    const std::string_view text = name.empty() ? entity_texts.of(*entity, TextKind::description) : name;
    if (!text.empty()) relation_texts.offer(static_cast<std::int32_t>(r), TextKind::description, kOfAnEntity, text);
  }
  Finding gone;
  std::vector<std::int32_t> renumbered(entities.size());
  std::int32_t kept = 0;
  for (std::size_t e = 0; e < entities.size(); ++e) {
    const bool is_relation = !named[e] && relations.find(entities[e]).has_value();
    const bool stays = named[e] || e < members || (listed && !is_relation);
    if (!stays && !is_relation) gone.add(std::string(entities[e]));
    renumbered[e] = stays ? kept++ : -1;
  }
  if (static_cast<std::size_t>(kept) == entities.size()) return gone;
  Vocabulary fewer;
  fewer.reserve(static_cast<std::size_t>(kept), entities.strings().chars().size());
  for (std::size_t e = 0; e < entities.size(); ++e) {
    if (renumbered[e] >= 0) fewer.add(entities[e]);
  }
  entities = std::move(fewer);
  for (std::vector<Triple>& split : triples) {
    for (Triple& t : split)
      t = {renumbered[static_cast<std::size_t>(t.head)], t.relation, renumbered[static_cast<std::size_t>(t.tail)]};
  }
  entity_texts.renumber(renumbered);
  return gone;
}

GraphParts GraphGatherer::take_parts() {
  GraphParts parts;
  parts.names = entity_texts.table(TextKind::name, entities.size());
  parts.descriptions = entity_texts.table(TextKind::description, entities.size());
  parts.relation_texts = relation_texts.table(TextKind::description, relations.size());
  parts.entities = std::move(entities);
  parts.relations = std::move(relations);
  parts.triples = std::move(triples);
  parts.times = std::move(times);
  parts.found.left_out = std::move(left_out);
  return parts;
}

}  // namespace hasa
