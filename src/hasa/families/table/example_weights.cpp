#include "hasa/families/table/example_weights.h"

#include <cmath>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr double kAnswersAdded = 3;

double softened_count(const KnownAnswers& known, const Triple& triple) {
  return kAnswersAdded + static_cast<double>(known.tails(triple.head, triple.relation).size());
}

}  // namespace

std::vector<float> example_weights(std::span<const Triple> examples, const KnownAnswers& of_training,
                                   RelationId relations, ExampleWeighting weighting) {
  HASA_ASSERT(weighting != ExampleWeighting::evenly);
  std::vector<float> weights;
  weights.reserve(examples.size());
  for (const Triple& triple : examples) {
    double count = softened_count(of_training, triple);
    if (weighting == ExampleWeighting::by_triple) count += softened_count(of_training, inverse(triple, relations));
    weights.push_back(static_cast<float>(1 / std::sqrt(count)));
  }
  return weights;
}

}  // namespace hasa
