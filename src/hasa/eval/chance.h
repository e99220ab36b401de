#pragma once

#include "hasa/eval/metrics.h"

namespace hasa {

/// The expected metrics of a random order of `candidates` entities: the baseline for
/// every result. Filtering known answers would raise them by less than the digits shown.
Metrics chance_metrics(std::int64_t candidates, std::int64_t queries);

}  // namespace hasa
