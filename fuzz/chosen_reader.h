#pragma once

#include <cstdlib>

namespace hasa {

/// The reader that HASA_FUZZ_READER names, for a long run on one of them; else the one that the input chose.
inline int chosen_reader(int by_input) {
  static const char* const fixed = std::getenv("HASA_FUZZ_READER");
  return fixed != nullptr ? std::atoi(fixed) : by_input;
}

}  // namespace hasa
