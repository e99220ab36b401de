#pragma once

#include "hasa/loss/contrastive.h"

namespace hasa {

/// Throws config if options of the loss contradict each other or would have no effect.
void check_loss(const ContrastiveConfig& loss);

}  // namespace hasa
