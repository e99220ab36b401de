// Feeds the WordNet reader with anything. Bit 0 of the first byte chooses all of WordNet or the domain "animal";
// the four data files are one input, with the byte 0x1E between them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/wordnet.h"

namespace hasa {
namespace {

void expect(bool condition) {
  if (!condition) std::abort();
}

std::array<std::string_view, 4> files_in(std::string_view input) {
  std::array<std::string_view, 4> files;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t end = i + 1 < files.size() ? std::min(input.find('\x1E'), input.size()) : input.size();
    files[i] = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return files;
}

/// What a graph of WordNet promises: every entity has a triple, is found by its id, and no triple is there twice.
void check(const Graph& graph) {
  std::vector<bool> used(static_cast<std::size_t>(graph.entities()));
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split)) {
      expect(t.head != t.tail && !graph.relation_text(t.relation).empty());
      used.at(static_cast<std::size_t>(t.head)) = used.at(static_cast<std::size_t>(t.tail)) = true;
    }
  }
  for (EntityId e = 0; e < graph.entities(); ++e) {
    expect(used[static_cast<std::size_t>(e)]);
    expect(graph.find_entity(graph.entity_id(e)) == e);
    expect(graph.entity_name(e).size() + graph.entity_description(e).size() > 0);
  }
  const Audit& audit = graph.audit();
  expect(audit.duplicates.count == 0 && audit.leaked.count == 0);
  expect(to_json(audit_from_json(to_json(audit))) == to_json(audit));
}

}  // namespace
}  // namespace hasa

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hasa;
  if (size == 0) return 0;
  set_thread_count(1);
  const auto files = files_in({reinterpret_cast<const char*>(data) + 1, size - 1});
  WordnetOptions options;
  if ((data[0] & 1) != 0) options.domain = "animal";
  try {
    check(parse_wordnet(
        {"fuzz", {"data.noun", files[0]}, {"data.verb", files[1]}, {"data.adj", files[2]}, {"data.adv", files[3]}},
        options));
  } catch (const Error&) {
    // Bad input is told so; anything else ends the run.
  }
  return 0;
}
