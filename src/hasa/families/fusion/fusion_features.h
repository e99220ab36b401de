#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/families/run_parts.h"
#include "hasa/kg/adjacency.h"
#include "hasa/model/scorer.h"

namespace hasa {

/// The features of each candidate besides the parts' scores.
struct FusionTerms {
  bool dynamic = true;
  bool frequency = true;
  bool linked = false;
};

/// How often each entity answered each directed relation in training (sparse).
class AnswerFrequencies {
 public:
  AnswerFrequencies(std::span<const Triple> triples, RelationId relations, const torch::Device& device);
  /// [queries, entities]: log(1 + count)
  torch::Tensor of(std::span<const Query> queries, std::int64_t entities) const;

 private:
  struct Row {
    torch::Tensor entities;  // [answers] int64
    torch::Tensor logs;      // [answers]
  };
  std::vector<Row> rows_;
  torch::Device device_;
};

/// The terms of a fusion for all candidates of some queries. In this order:
///   for each part   z = (score - mean) / deviation, over the query's candidates
///                   with `dynamic` also score - mean: z times the spread of the query's scores, so that
/// the weight of a part can depend on that spread
///   frequency       log(1 + how often the candidate answered the relation in training)
///   linked          1 if training links the candidate and the given entity, by any relation
class FusionFeatures {
 public:
  /// Parts have one device. The graph must outlive this.
  FusionFeatures(std::vector<RunPart> parts, const Graph& graph, const FusionTerms& terms);

  std::size_t num_parts() const { return parts_.size(); }
  const std::string& name_of_part(std::size_t part) const { return parts_[part].name; }
  const Scorer& part(std::size_t part) const { return *parts_[part].scorer; }
  std::int64_t num_features() const;
  /// A part's are [first, last).
  struct Span {
    std::int32_t first, last;
  };
  Span features_of_part(std::size_t part) const;

  std::int64_t num_entities() const { return parts_[0].scorer->num_entities(); }
  torch::Device device() const { return parts_[0].scorer->device(); }
  ScoringCost cost() const;

  /// Features of all candidates, each [queries, entities] float32.
  std::vector<torch::Tensor> of(std::span<const Query> queries) const;

 private:
  torch::Tensor linked(std::span<const Query> queries) const;

  std::vector<RunPart> parts_;
  FusionTerms terms_;
  std::unique_ptr<AnswerFrequencies> frequencies_;
  std::unique_ptr<Adjacency> neighbours_;
};

}  // namespace hasa
