// Feeds the readers of files of triples with anything. The first byte chooses:
//
//   bits 0-2  0 N-Triples, 1 Turtle, 2 JSON Lines, 3 KGTK, 4 separated fields by looking, 5 gzip or zstd,
//             6 N-Triples against one pass over the whole, 7 what the first lines look like
//   bit 3     malformed lines are skipped
//   bit 4     texts in German before English
//
// HASA_FUZZ_READER=n reads every input by reader n.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "chosen_reader.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/read/ntriples.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

void expect_in_formats(bool condition) {
  if (!condition) std::abort();
}

/// What only a graph made from text promises: ids are distinct and found, and its summary survives.
void use_graph(const Graph& graph) {
  for (EntityId e = 0; e < graph.entities(); ++e) expect_in_formats(graph.find_entity(graph.entity_id(e)) == e);
  for (RelationId r = 0; r < graph.relations(); ++r) expect_in_formats(graph.find_relation(graph.relation_id(r)) == r);
  const std::string json = to_json(graph.audit());
  expect_in_formats(to_json(audit_from_json(json)) == json);
  expect_in_formats(!to_table(graph.audit()).empty());
}

void read_as(InputFormat format, std::string_view input, ReadTriplesOptions options) {
  options.as.format = format;
  use_graph(parse_triples({"f", input}, {}, options));
}

/// The reader by pieces, which this build makes tiny, against one pass.
void against_one_pass(std::string_view input) {
  const RdfTexts texts({"en"});
  GraphGatherer gatherer;
  ByteSource source = ByteSource::of_memory("f", input);
  Blocks blocks(source);
  gatherer.read(source, blocks, Split::train,
                [&](std::string_view piece, bool, Statements& into) { parse_ntriples(piece, texts, "", into); });
  // Only what is not packed is the same to both.
  if (input.starts_with("\x1F\x8B") || input.starts_with("\x28\xB5\x2F\xFD")) return;
  Statements whole;
  parse_ntriples(without_byte_order_mark(input), texts, "", whole);
  expect_in_formats(whole.triples.size() == gatherer.triples[0].size());
  expect_in_formats(whole.problems.count() == gatherer.problems.count());
  for (std::size_t i = 0; i < whole.triples.size(); ++i) {
    const Triple &a = whole.triples[i], &b = gatherer.triples[0][i];
    expect_in_formats(whole.entities[a.head] == gatherer.entities[b.head]);
    expect_in_formats(whole.entities[a.tail] == gatherer.entities[b.tail]);
  }
}

/// A packed bomb must not be unpacked whole: the readers take some at a time, and so does this.
void unpack(std::string_view input) {
  ByteSource source = ByteSource::of_memory("f", input);
  std::string buffer(1 << 16, '\0');
  for (int i = 0; i < 64 && source.read(buffer.data(), buffer.size()) == buffer.size(); ++i) continue;
}

void read_chosen(int choice, std::string_view input, const ReadTriplesOptions& options) {
  switch (choice) {
    case 0: return read_as(InputFormat::ntriples, input, options);
    case 1: return read_as(InputFormat::turtle, input, options);
    case 2: return read_as(InputFormat::jsonl, input, options);
    case 3: return read_as(InputFormat::kgtk, input, options);
    case 4: return read_as(InputFormat::csv, input, options);
    case 5: return unpack(input);
    case 6: return against_one_pass(input);
    default: return read_as(InputFormat::automatic, input, options);
  }
}

}  // namespace
}  // namespace hasa

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hasa;
  if (size == 0) return 0;
  set_thread_count(1);
  set_log_level(LogLevel::off);
  set_progress_enabled(false);
  const std::uint8_t choice = data[0];
  ReadTriplesOptions options;
  options.import.bad_lines = (choice & 8) != 0 ? BadLines::skip : BadLines::fail;
  if ((choice & 16) != 0) options.as.languages = {"de", "en"};
  try {
    read_chosen(chosen_reader(choice & 7), {reinterpret_cast<const char*>(data) + 1, size - 1}, options);
  } catch (const Error&) {
    // Bad input is told so; anything else ends the run.
  }
  return 0;
}
