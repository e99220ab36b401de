#pragma once

namespace hasa {

enum class BadLines {
  fail,  ///< any malformed line is an error, and nothing is imported
  skip,  ///< malformed lines are left out, counted and shown
};

struct ImportOptions {
  BadLines bad_lines = BadLines::fail;
};

}  // namespace hasa
