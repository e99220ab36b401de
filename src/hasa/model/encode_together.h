#pragma once

#include "hasa/dist/comm.h"
#include "hasa/nn/encode_all.h"

namespace hasa {

/// encode_all by several processes, each of which reads consecutive rows, about as many as each other one; all of them
/// get all vectors.
torch::Tensor encode_together(const FrozenEncoder& encoder, const TokenRows& rows, const EncodeAllOptions& options,
                              Comm& comm);

}  // namespace hasa
