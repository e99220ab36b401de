#pragma once

#include <cstdio>
#include <string_view>

#include "hasa/base/error.h"

namespace hasa {

/// Results go to stdout, and a failure to write them is an error.
inline void print(std::string_view text) {
  HASA_CHECK(std::fwrite(text.data(), 1, text.size(), stdout) == text.size(), io,
             "cannot write the results: is the disk full?");
}

}  // namespace hasa
