#pragma once

#include <torch/types.h>

#include <span>

#include "hasa/kg/known_answers.h"
#include "hasa/kg/triple.h"
#include "hasa/model/query.h"
#include "hasa/ops/core/ragged_ids.h"

namespace hasa {

/// Directed triples as int64 columns on a device.
struct QueryColumns {
  torch::Tensor heads, relations, tails;  // [queries]
};
QueryColumns columns_of(std::span<const Triple> triples, const torch::Device& device);

/// Queries as int64 columns.
struct QueryIds {
  torch::Tensor given, relations;  // [queries]
};
QueryIds ids_of(std::span<const Query> queries, const torch::Device& device);

/// Row i: the known answers of query i, sorted and distinct, on the CPU.
RaggedIds known_rows(const KnownAnswers& known, std::span<const Triple> queries);

/// The range of each query's known answers in known.all_tails(): [2, queries] int64 on the CPU, begin and end.
torch::Tensor known_places(const KnownAnswers& known, std::span<const Triple> queries);

/// All known answers on a device, stored once; queries refer to ranges of them.
class KnownIndex {
 public:
  /// On the CPU it shares the memory of `known`, which must outlive it.
  KnownIndex(const KnownAnswers& known, const torch::Device& device);

  /// Row i: the known answers of query i, sorted and distinct, on the device.
  IdRanges rows(std::span<const Triple> queries) const;
  /// The same from their known_places, which are on the device.
  IdRanges rows_at(const torch::Tensor& places) const { return {tails_, places[0], places[1]}; }

 private:
  const KnownAnswers& known_;
  torch::Tensor tails_;  // [answers] int32
};

}  // namespace hasa
