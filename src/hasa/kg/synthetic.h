#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "hasa/kg/graph.h"
#include "hasa/kg/split.h"

namespace hasa {

/// A made-up graph of any size. Entities fall into groups; relation r leads from group g to group
/// (a_r g + b_r) mod groups, except for a share of noise, so there is something to learn. Degrees follow a
/// power law. Names and descriptions speak of the group, so the text helps too.
struct SyntheticOptions {
  std::uint64_t entities = 1000;
  std::uint64_t relations = 10;
  std::uint64_t triples = 5000;
  std::uint64_t groups = 20;
  double skew = 2.0;   ///< 1: degrees alike; larger: more of the triples at fewer entities
  double noise = 0.1;  ///< share of the triples whose tail is of any group
  bool texts = true;   ///< names and descriptions; without them ids are all there is
  std::uint64_t seed = 1;
  SplitOptions split;
};

/// With distinct triples; fewer than asked for if the graph is too dense to find them.
Graph synthetic_graph(const SyntheticOptions& options);

/// Streams the triples to a file of `head<TAB>relation<TAB>tail` lines, in constant memory; a few of them
/// may repeat. Every entity occurs if there are at least as many triples.
void write_synthetic_triples(const std::filesystem::path& file, const SyntheticOptions& options);

/// Calls with each triple in turn, as the file has them.
void for_each_synthetic(const SyntheticOptions& options, const std::function<void(const Triple&)>& visit);
std::string synthetic_entity_id(EntityId entity);
std::string synthetic_relation_id(RelationId relation);

}  // namespace hasa
