#pragma once

#include <span>
#include <vector>

#include "hasa/families/table/table_config.h"
#include "hasa/kg/known_answers.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// The loss weight of each directed triple, up to a factor, unless all are equal. With n(h, r) the
/// number of training answers:
///
///   by_triple  1 / sqrt(6 + n(h, r) + n(t, inverse of r)), of the query and of the same fact asked from its other end
///   by_query   1 / sqrt(3 + n(h, r))
///
/// so that a query with a thousand answers does not count a thousand times as much as one with a single
/// answer. The constants are those of RotatE's authors, who weight by triple; weighting by query is Kamigaito and
/// Hayashi's (ICML 2022).
std::vector<float> example_weights(std::span<const Triple> examples, const KnownAnswers& of_training,
                                   RelationId relations, ExampleWeighting weighting);

}  // namespace hasa
