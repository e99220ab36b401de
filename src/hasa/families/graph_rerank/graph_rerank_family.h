#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/families/family.h"

namespace hasa {

struct GraphRerankModelConfig {
  std::string run;
  std::int64_t hops = 2;
  double bonus = 0.05;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = GraphRerankModelConfig;
    field("run", &C::run, "a run folder, or a config file, which is trained first, into RUN/parts");
    field("hops", &C::hops, "entities within so many training edges of the query's, in either direction, get the bonus",
          Range{1, 1000});
    field("bonus", &C::bonus, "bonus added to the scores of entities that near", Range{-1e6, 1e6});
  }
};

/// SimKGC's re-ranking by the graph, over the scores of any other run: answers are mostly near.
struct GraphRerankFamily {
  static constexpr const char* kTag = "graph_rerank";
  static constexpr const char* kDoc =
      "another run's scores plus a bonus for entities within some training edges of the query's: SimKGC's re-ranking";

  GraphRerankModelConfig model;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("model", &GraphRerankFamily::model, "the other run and the bonus");
  }
};

void check(const GraphRerankFamily& config, const torch::Device& device);
/// Trains or resumes the other run if it is a config file, and records the hash of its model.
FitOutcome fit(const GraphRerankFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const GraphRerankFamily& config, const OpenContext& context);
ModelFacts facts(const GraphRerankFamily& config);
std::vector<PartFacts> parts_of(const GraphRerankFamily& config, const Run& run);
std::int64_t opening_bytes(const GraphRerankFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
