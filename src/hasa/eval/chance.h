#pragma once

#include "hasa/eval/metrics.h"

namespace hasa {

/// What a random order of `candidates` entities comes to, on average: what every result is to be seen against. Known
/// answers that are left out would raise it by less than a digit that is shown.
Metrics chance_metrics(std::int64_t candidates, std::int64_t queries);

}  // namespace hasa
