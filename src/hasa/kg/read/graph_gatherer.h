#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/kg/read/blocks.h"
#include "hasa/kg/read/held_texts.h"
#include "hasa/kg/read/statements.h"

namespace hasa {

/// Reads one piece of a file; `first` is the piece that the file begins with.
using ParsePiece = std::function<void(std::string_view piece, bool first, Statements& into)>;

/// Gathers what files state into the parts of one graph: ids are numbered in the order the files name them, whatever
/// the number of threads, triples lie by the split they were read for.
class GraphGatherer {
 public:
  GraphGatherer() = default;
  /// Starts from an existing graph, whose numbers stay.
  explicit GraphGatherer(const Graph& graph);

  /// Parses the blocks in parallel, a few at a time: memory holds the result and those few.
  void read(ByteSource& source, Blocks& blocks, Split split, const ParsePiece& parse);
  /// One piece whose lines are counted by whoever reads it.
  void add(Statements& statements, const std::string& file, Split split);

  /// Entities that no triple names: their texts become a relation's where one bears the id, and they go, unless
  /// `listed` says that what is listed is a member. The first `members` stay in any case. Returns those that went.
  Finding settle_entities_without_triples(bool listed, std::size_t members = 0);

  /// By the numbers above; everything else is left for the caller to fill.
  GraphParts take_parts();

  Vocabulary entities, relations;
  std::array<std::vector<Triple>, 3> triples;      // by Split
  std::array<std::vector<std::int64_t>, 3> times;  // empty, or one a triple
  HeldTexts entity_texts, relation_texts;
  LineProblems problems;
  Finding left_out;

 private:
  void merge(std::vector<Statements>& pieces, const std::string& file, std::uint64_t& line, Split split);
  void take_texts(const Statements& piece);
};

}  // namespace hasa
