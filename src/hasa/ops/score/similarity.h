#pragma once

#include <cstdint>

namespace hasa {

/// How alike a query q and an entity e are, and so how well the one answers the other; the greater the better.
///
///   dot               sum_i q_i e_i
///   negative_l1       - sum_i |q_i - e_i|
///   negative_l2       - sqrt(sum_i (q_i - e_i)^2)
///   negative_modulus  - sum_k |q_k - e_k| of complex numbers: the first half of a vector has their real parts, the
///                     second their imaginary parts
///
/// All are symmetric in q and e.
enum class Similarity : std::uint8_t { dot, negative_l1, negative_l2, negative_modulus };

inline const char* to_string(Similarity similarity) {
  switch (similarity) {
    case Similarity::dot: return "dot product of query and entity";
    case Similarity::negative_l1: return "negative L1 distance of query and entity";
    case Similarity::negative_l2: return "negative L2 distance of query and entity";
    case Similarity::negative_modulus: return "negative sum of the moduli of query minus entity, as complex numbers";
  }
  return "";
}

}  // namespace hasa
