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
    field("dim", &C::dim, "size of states and relation vectors: 8, 16, 32, 64 or 128", Range{8, 128});
    field("layers", &C::layers, "edges of the longest path that is followed", Range{1, 32});
    field("aggregation", &C::aggregation,
          "what an entity makes of its messages: pna: mean, maximum, minimum and standard deviation, each also scaled "
          "by the logarithm of the degree and by its inverse; sum: their sum");
    field(
        "dependent", &C::dependent,
        "every query relation sees the relations in its own way, by a linear map of its vector; false: each layer has "
        "one vector for each relation, which is fewer parameters for a graph of few relations");
    field("precision", &C::precision,
          "of states on a GPU, sums being float32 either way; bf16 moves half the bytes; a CPU keeps float32");
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
          "with half of the weight, of the negatives, hard ones counting for more");
    field("negatives", &C::negatives, "entities drawn for each query; 0: all entities", Range{0, 1 << 20});
    field("temperature", &C::temperature, "of the weights of self_adversarial; 0 weighs all negatives alike",
          Range{0, 100});
    field("hide", &C::hide,
          "edges that no query of a batch may use: batch: the batch's own triples, in both directions and all copies; "
          "pair: every edge between a query's entity and its answers, and likewise its negatives, so that being "
          "linked at all says nothing");
    field("answers", &C::answers,
          "most answers of a query that one step asks for, and hides; never more than one and a quarter of the others, "
          "so that a query's other answers can be seen, as they are when it is asked in earnest",
          Range{1, 1 << 20});
  }
};

}  // namespace hasa
