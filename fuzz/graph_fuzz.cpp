// Feeds the readers of text and the loader of graph.bin with anything. The first byte chooses:
//
//   bits 0-1  0 benchmark folder, 1 file of triples with texts, 2 graph.bin, 3 triples against a plain reading
//   bit 2     CSV instead of TSV, or no text files
//   bit 3     malformed lines are skipped
//   bit 4     a header line
//   bit 5     entities unseen on purpose
//
// Several files are one input, with the byte 0x1E between them.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/adjacency.h"
#include "hasa/kg/known_answers.h"
#include "hasa/kg/name_index.h"
#include "hasa/kg/read/delimited.h"
#include "hasa/kg/read/graph_gatherer.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

void expect(bool condition) {
  if (!condition) std::abort();
}

/// Reads all there is of a graph, so that any wrong pointer is followed.
void use(const Graph& graph) {
  for (const std::uint64_t ancestor : graph.lineage().ancestors()) expect(graph.growth_since(ancestor).has_value());
  std::size_t sum = 0;
  for (EntityId e = 0; e < graph.entities(); ++e) {
    for (const std::string_view text : {graph.entity_id(e), graph.entity_name(e), graph.entity_description(e)}) {
      for (const char c : text) sum += static_cast<unsigned char>(c);
    }
    sum += graph.find_entity(graph.entity_id(e)).has_value() ? 1 : 0;
  }
  for (RelationId r = 0; r < graph.num_directed_relations(); ++r) sum += graph.relation_text(r).size();
  if (graph.entities() > 0) sum += graph.entities_named(graph.entity_name(0)).size();
  const Adjacency adjacency(graph);
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split)) expect(known.contains(t.head, t.relation, t.tail));
  }
  sum += adjacency.num_edges() + to_table(graph.audit()).size() + graph.content_hash();
  expect(sum != 1);  // so that none of it is optimised away
}

/// What only a graph made from text promises: ids are distinct and found, and its summary survives.
void use_checked(const Graph& graph) {
  use(graph);
  for (EntityId e = 0; e < graph.entities(); ++e) expect(graph.find_entity(graph.entity_id(e)) == e);
  const std::string json = to_json(graph.audit());
  expect(to_json(audit_from_json(json)) == json);
}

std::vector<std::string_view> files_in(std::string_view input, std::size_t most) {
  std::vector<std::string_view> files;
  while (files.size() + 1 < most) {
    const std::size_t end = input.find('\x1E');
    if (end == std::string_view::npos) break;
    files.push_back(input.substr(0, end));
    input.remove_prefix(end + 1);
  }
  files.push_back(input);
  files.resize(most);
  return files;
}

void benchmark_folder(std::string_view input, const ImportOptions& options, bool texts) {
  const auto files = files_in(input, 5);
  BenchmarkTexts folder{"fuzz", {"train.txt", files[0]}, {"valid.txt", files[1]}, {"test.txt", files[2]}, {}, {}};
  if (texts) {
    folder.entities = {"entities.tsv", files[3]};
    folder.relations = {"relations.tsv", files[4]};
  }
  use_checked(parse_benchmark(folder, options));
}

void triple_file(std::string_view input, const ReadTriplesOptions& options) {
  const auto files = files_in(input, 3);
  const bool csv = options.as.format == InputFormat::csv;
  std::optional<NamedText> text, relation_text;
  if (!files[1].empty()) text = {csv ? "text.csv" : "text.tsv", files[1]};
  if (!files[2].empty()) relation_text = {"relations.tsv", files[2]};
  use_checked(parse_triples({"triples", files[0]}, text, options, relation_text));
}

void binary(std::string_view input) {
  const auto* data = reinterpret_cast<const std::byte*>(input.data());
  std::vector<std::byte> bytes(data, data + input.size());
  // The header tells the file's size; set right, a change of length gets past it.
  constexpr std::size_t kSizeAt = 32;
  const std::uint64_t size = bytes.size();
  if (bytes.size() >= kSizeAt + sizeof size) std::memcpy(bytes.data() + kSizeAt, &size, sizeof size);
  use(Graph::from_bytes(std::move(bytes), "graph.bin"));
}

/// The parallel reader, which this build gives tiny pieces, against one pass over the whole.
void against_plain_reading(std::string_view input, const RecordFormat& format, bool header) {
  GraphGatherer gatherer;
  ByteSource source = ByteSource::of_memory("triples", input);
  Blocks blocks(source);
  Delimited as;
  as.format = format;
  as.header = header;
  blocks.set_format(format);
  const RdfTexts no_texts({});
  gatherer.read(source, blocks, Split::train, [&](std::string_view piece, bool first, Statements& into) {
    parse_delimited(piece, first, as, no_texts, into);
  });
  const std::vector<Triple>& triples = gatherer.triples[0];
  RecordReader reader(without_byte_order_mark(input), format);
  Record record;
  if (header) reader.next(record);
  std::size_t good = 0, bad = 0;
  while (reader.next(record)) {
    if (is_blank(record)) continue;
    if (!problem_of(record, triple_shape(format), false).what.empty()) {
      ++bad;
      continue;
    }
    expect(good < triples.size());
    const Triple& t = triples[good++];
    expect(gatherer.entities[t.head] == record.fields[0] && gatherer.relations[t.relation] == record.fields[1] &&
           gatherer.entities[t.tail] == record.fields[2]);
  }
  expect(good == triples.size() && bad == gatherer.problems.count());
}

}  // namespace
}  // namespace hasa

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hasa;
  if (size == 0) return 0;
  set_thread_count(1);
  const std::uint8_t choice = data[0];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool csv = (choice & 4) != 0, header = (choice & 16) != 0;
  ReadTriplesOptions options;
  options.as.format = csv ? InputFormat::csv : InputFormat::tsv;
  options.as.fields.header = header;
  options.import.bad_lines = (choice & 8) != 0 ? BadLines::skip : BadLines::fail;
  options.split.unseen_entities = (choice & 32) != 0 ? 0.3 : 0;
  try {
    switch (choice & 3) {
      case 0: benchmark_folder(input, options.import, !csv); break;
      case 1: triple_file(input, options); break;
      case 2: binary(input); break;
      case 3: against_plain_reading(input, csv ? RecordFormat::csv : RecordFormat::tsv, header); break;
    }
  } catch (const Error&) {
    // Bad input is told so; anything else ends the run.
  }
  return 0;
}
