#pragma once

#include <cstdint>

#include "hasa/base/config.h"
#include "hasa/ops/graph/path_messages.h"

namespace hasa {

inline EnumNames<Aggregation> names_of(Aggregation) { return {{Aggregation::pna, "pna"}, {Aggregation::sum, "sum"}}; }

enum class PathPrecision : std::uint8_t { bf16, fp32 };
inline EnumNames<PathPrecision> names_of(PathPrecision) {
  return {{PathPrecision::bf16, "bf16"}, {PathPrecision::fp32, "fp32"}};
}

struct PathModelConfig {
  std::int64_t dim = 32;
  std::int64_t layers = 6;
  Aggregation aggregation = Aggregation::pna;
  bool dependent = true;
  PathPrecision precision = PathPrecision::bf16;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = PathModelConfig;
    field("dim", &C::dim, "dimension of states and relation vectors: 8, 16, 32, 64 or 128", Range{8, 128});
    field("layers", &C::layers, "number of layers, and so of edges of the longest path", Range{1, 32});
    field("aggregation", &C::aggregation,
          "how messages are aggregated: pna: mean, maximum, minimum and standard deviation, each also scaled by the "
          "logarithm of the degree and by its inverse; sum: their sum");
    field("dependent", &C::dependent,
          "relation vectors depend on the query's relation, by a linear map of its vector; false: each layer has one "
          "vector per relation, which is fewer parameters for a graph of few relations");
    field("precision", &C::precision,
          "precision of states on a GPU, with float32 sums either way; bf16 moves half the bytes; a CPU uses float32");
  }
};

enum class PathLoss : std::uint8_t { cross_entropy, self_adversarial };
inline EnumNames<PathLoss> names_of(PathLoss) {
  return {{PathLoss::cross_entropy, "cross_entropy"}, {PathLoss::self_adversarial, "self_adversarial"}};
}

enum class PathHiding : std::uint8_t { batch, pair };
inline EnumNames<PathHiding> names_of(PathHiding) { return {{PathHiding::batch, "batch"}, {PathHiding::pair, "pair"}}; }

struct PathTrainingConfig {
  PathLoss loss = PathLoss::cross_entropy;
  std::int64_t negatives = 0;
  double temperature = 1;
  PathHiding hide = PathHiding::batch;
  std::int64_t answers = 4;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = PathTrainingConfig;
    field("loss", &C::loss,
          "cross_entropy: of the answer among the negatives; self_adversarial: binary cross-entropy of the answer and, "
          "with half the weight, of the negatives, weighted by hardness");
    field("negatives", &C::negatives, "negatives per query; 0: all entities", Range{0, 1 << 20});
    field("temperature", &C::temperature, "temperature of self_adversarial's weights; 0 weighs all negatives equally",
          Range{0, 100});
    field("hide", &C::hide,
          "edges hidden from every query of a batch: batch: the batch's own triples, in both directions and all "
          "copies; pair: every edge between a query's entity and its answers or negatives, so that being linked at all "
          "is no evidence");
    field("answers", &C::answers,
          "maximum number of a query's answers that a step predicts and hides; at most one plus a quarter of the "
          "others, so that other answers stay visible, as they are in evaluation",
          Range{1, 1 << 20});
  }
};

}  // namespace hasa
