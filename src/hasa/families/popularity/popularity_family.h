#pragma once

#include "hasa/families/family.h"

namespace hasa {

struct PopularityModelConfig {
  bool by_relation = true;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("by_relation", &PopularityModelConfig::by_relation,
          "count how often an entity answered the query's relation; false: any relation");
  }
};

/// How often an entity answered the query's relation in
/// training, whatever the given entity: a baseline for every result.
struct PopularityFamily {
  static constexpr const char* kTag = "popularity";
  static constexpr const char* kDoc =
      "how often an entity answered the relation in training: the baseline for every result";

  PopularityModelConfig model;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("model", &PopularityFamily::model, "what to count");
  }
};

void fit(const PopularityFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const PopularityFamily& config, const OpenContext& context);
ModelFacts facts(const PopularityFamily& config);
std::int64_t opening_bytes(const PopularityFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
