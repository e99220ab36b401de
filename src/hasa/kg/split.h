#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hasa/kg/audit.h"
#include "hasa/kg/triple.h"

namespace hasa {

enum class SplitKind : std::uint8_t {
  random,        ///< any triple
  stratified,    ///< the same fractions of every relation's triples
  inductive,     ///< all triples of whole entities, which training then never sees
  time,          ///< the latest triples to test, those before them to valid
  leakage_free,  ///< all triples between two entities together: none has its reverse or a twin in another split
};

/// "random", "stratified", "inductive", "time" or "leakage-free".
const char* to_string(SplitKind kind);
/// Throws config, naming what there is.
SplitKind split_kind_of(std::string_view word);

struct SplitOptions {
  SplitKind kind = SplitKind::random;
  double valid = 0.05;  ///< share of the triples
  double test = 0.05;
  /// Share of the entities to keep out of training: all their triples go to valid or test, and those splits
  /// are filled up with other triples to their shares. 0: every entity of valid and test is seen in training.
  double unseen_entities = 0.0;
  std::uint64_t seed = 1;
};

using SplitTriples = std::array<std::vector<Triple>, 3>;  // by Split

/// Where each triple goes; see split_triples. Times, one a triple, are for a split by time.
std::vector<Split> split_labels(std::span<const Triple> triples, std::span<const std::int64_t> times, EntityId entities,
                                RelationId relations, const SplitOptions& options);

/// Values by the label of each, in their order. In place as far as it goes: training is most of a large graph.
template <class T>
std::array<std::vector<T>, 3> take_by_label(std::vector<T> values, std::span<const Split> labels) {
  std::array<std::vector<T>, 3> splits;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (labels[i] == Split::train) {
      values[kept++] = values[i];
    } else {
      splits[static_cast<std::size_t>(labels[i])].push_back(values[i]);
    }
  }
  values.resize(kept);
  splits[0] = std::move(values);
  return splits;
}

/// Deals distinct triples out by the seed; each split keeps their order. A triple leaves training only if its relation
/// and its entities (those not held out on purpose) still have another one there, so a graph with many such triples
/// gets smaller valid and test splits than asked for; a split by time alone takes no notice. Throws config on fractions
/// outside [0, 1) or that leave nothing to train on.
SplitTriples split_triples(std::vector<Triple> triples, EntityId entities, RelationId relations,
                           const SplitOptions& options);

/// Removes later repetitions, keeping order, and says which; `describe` puts a triple into words. Times, one a triple
/// or none at all, go with their triples.
Finding drop_duplicates(std::vector<Triple>& triples, std::vector<std::int64_t>& times, EntityId entities,
                        const std::function<std::string(const Triple&)>& describe);
inline Finding drop_duplicates(std::vector<Triple>& triples, EntityId entities,
                               const std::function<std::string(const Triple&)>& describe) {
  std::vector<std::int64_t> no_times;
  return drop_duplicates(triples, no_times, entities, describe);
}

}  // namespace hasa
