#include "hasa/kg/add_to_graph.h"

#include <algorithm>
#include <set>

#include "hasa/base/error.h"
#include "hasa/base/number_in.h"
#include "hasa/kg/text_lines.h"

namespace hasa {
namespace {

/// Leaves out, of the triples from `first` on, those that were there before or came before.
Finding drop_known(const Graph& graph, std::size_t first, std::vector<Triple>& triples,
                   std::vector<std::int64_t>& times) {
  std::vector<Triple> before;
  for (const Split split : kSplits)
    before.insert(before.end(), graph.triples(split).begin(), graph.triples(split).end());
  std::sort(before.begin(), before.end());
  std::set<Triple> added;
  Finding dropped;
  std::size_t kept = first;
  for (std::size_t i = first; i < triples.size(); ++i) {
    const Triple t = triples[i];
    if (std::binary_search(before.begin(), before.end(), t) || !added.insert(t).second) {
      ++dropped.count;
      continue;
    }
    if (!times.empty()) times[kept] = times[i];
    triples[kept++] = t;
  }
  triples.resize(kept);
  if (!times.empty()) times.resize(kept);
  return dropped;
}

Finding find_replaced(const Graph& graph, const GraphGatherer& gatherer) {
  Finding replaced;
  for (EntityId e = 0; e < graph.entities(); ++e) {
    const std::string_view name = gatherer.entity_texts.of(e, TextKind::name);
    const std::string_view text = gatherer.entity_texts.of(e, TextKind::description);
    const bool other_name = graph.has_name(e) && name != graph.entity_name(e);
    const bool other_text = !graph.entity_description(e).empty() && text != graph.entity_description(e);
    if (other_name || other_text) replaced.add(std::string(graph.entity_id(e)));
  }
  return replaced;
}

/// "triples edges.tsv, 12 triples added": earlier additions are counted in.
std::string source_with(const std::string& source, std::size_t added) {
  constexpr std::string_view kEnding = " triples added";
  const std::size_t comma = source.rfind(", ");
  if (source.ends_with(kEnding) && comma != std::string::npos) {
    const std::size_t from = comma + 2, to = source.size() - kEnding.size();
    if (const auto before = number_in<std::size_t>(source.substr(from, to - std::min(from, to))))
      return fmt::format("{}, {}{}", source.substr(0, comma), *before + added, kEnding);
  }
  return added == 0 ? source : fmt::format("{}, {}{}", source, added, kEnding);
}

void read_texts(const std::string& file, bool of_relations, StatementReader& reader, GraphGatherer& gatherer,
                TextFindings& findings) {
  ByteSource source = ByteSource::open(file);
  if (!is_separated(file)) return reader.read_texts(source);
  const std::string content = source.read_all();
  read_text_lines({file, content}, of_relations ? TextLayout::words : TextLayout::optional_name_and_description,
                  NewIds::leave_out, of_relations ? gatherer.relations : gatherer.entities,
                  of_relations ? gatherer.relation_texts : gatherer.entity_texts, gatherer.problems, findings);
}

}  // namespace

Graph add_to_graph(const Graph& graph, const std::vector<std::string>& files, const TextFiles& texts,
                   const ReadTriplesOptions& options, Split into) {
  HASA_CHECK(!files.empty() || !texts.entities.empty() || !texts.relations.empty(), config,
             "there is nothing to add: name files of triples or of texts");
  GraphGatherer gatherer(graph);
  StatementReader reader(options.as, gatherer);
  const auto of_split = static_cast<std::size_t>(into);
  const std::size_t first = gatherer.triples[of_split].size();
  for (std::size_t i = 0; i < files.size(); ++i) {
    ByteSource source = ByteSource::open(files[i]);
    // A blank node of a new file is none that the graph has, whatever its label.
    reader.read(source, into, fmt::format("a{}-", static_cast<std::size_t>(graph.entities()) + i));
  }
  TextFindings findings;
  for (const std::string& file : texts.entities) read_texts(file, false, reader, gatherer, findings);
  for (const std::string& file : texts.relations) read_texts(file, true, reader, gatherer, findings);
  const Finding bad_lines = gatherer.problems.settle(options.import.bad_lines);
  const Finding dropped = drop_known(graph, first, gatherer.triples[of_split], gatherer.times[of_split]);
  const std::size_t added = gatherer.triples[of_split].size() - first;
  const Finding gone =
      gatherer.settle_entities_without_triples(/*listed=*/false, static_cast<std::size_t>(graph.entities()));
  const Finding named = reader.name_after_iris();
  const Finding replaced = find_replaced(graph, gatherer);

  GraphParts parts = gatherer.take_parts();
  parts.found.source = source_with(graph.audit().source, added);
  parts.found.bad_lines = bad_lines;
  parts.found.dropped_duplicates = dropped;
  parts.found.named_after_iri = named;
  parts.found.repeated_texts = findings.repeated;
  parts.found.unused_texts = findings.unused;
  parts.found.unused_texts.append(gone);
  parts.found.replaced_texts = replaced;
  parts.grew_from = &graph;
  return Graph(std::move(parts));
}

}  // namespace hasa
