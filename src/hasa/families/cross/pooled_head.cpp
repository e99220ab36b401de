#include "hasa/families/cross/pooled_head.h"

#include "hasa/ops/encoder/hashed_dropout.h"

namespace hasa {

torch::Tensor PooledHead::logits(const Encoder& encoder, const torch::Tensor& hidden, const PackedTokens& triples,
                                 bool training) const {
  const torch::Tensor pooled = pool(encoder, hidden, triples, pooling_).to(torch::kFloat32);
  return layer_(hashed_dropout(pooled, dropout_, training, triples.first_text * pooled.size(1))).view(-1);
}

}  // namespace hasa
