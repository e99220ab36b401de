#pragma once

#include <cstdint>

namespace hasa {

/// How many malformed lines an import puts up with; those are left out, counted and shown.
struct BadLines {
  std::uint64_t allowed = 0;

  static const BadLines fail, skip;
};
inline const BadLines BadLines::fail = {0};
inline const BadLines BadLines::skip = {UINT64_MAX};

struct ImportOptions {
  BadLines bad_lines = BadLines::fail;
};

}  // namespace hasa
