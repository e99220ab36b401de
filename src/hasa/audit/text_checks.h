#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/kg/audit.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// What is odd about the texts of a graph.
struct TextChecks {
  Finding same_texts;            ///< entities whose description another has word for word
  Finding near_texts;            ///< entities whose description another nearly has (not counting the same)
  std::vector<bool> alike;       ///< by entity: whether it is one of either
  bool near_left_out = false;    ///< there were too many entities to look for near ones
  Finding truncated;             ///< descriptions that seem to be cut off
  std::uint64_t cut_length = 0;  ///< at this many characters, when they are cut at one length
  /// Test queries whose answer's name stands in the text of the entity that is given.
  Finding answer_in_text;
  std::uint64_t test_queries = 0;
  /// Training triples (of a sample) of which the same is true, for comparison.
  std::uint64_t train_queries = 0, train_answer_in_text = 0;
};

struct TextCheckOptions {
  std::size_t most_entities = 1'000'000;  ///< near texts are sought among no more
  std::size_t most_triples = 100'000;     ///< of each split, for answers in texts
};

TextChecks check_texts(const Graph& graph, const TextCheckOptions& options = {});

/// The part of the shingles (three words in a row) that two texts share: 1 for the same words in the same order.
double text_overlap(std::string_view a, std::string_view b);

}  // namespace hasa
