#pragma once

#include "hasa/loss/contrastive.h"

namespace hasa {

/// Throws config where options of the loss contradict each other or would do nothing.
void check_loss(const ContrastiveConfig& loss);

}  // namespace hasa
