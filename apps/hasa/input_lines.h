#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/base/error.h"

namespace hasa {

/// Calls visit(line) for every line of stdin. Lines end in LF alone; any other byte belongs to its line. A
/// last line without LF counts if it is not empty.
template <class Visit>
void for_each_input_line(const Visit& visit) {
  std::string held;
  std::vector<char> block(1 << 20);
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), stdin)) {
    std::string_view rest(block.data(), got);
    for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
      if (held.empty()) {
        visit(rest.substr(0, end));
        continue;
      }
      held += rest.substr(0, end);
      visit(std::string_view(held));
      held.clear();
    }
    held += rest;
  }
  HASA_CHECK(std::ferror(stdin) == 0, io, "cannot read standard input");
  if (!held.empty()) visit(std::string_view(held));
}

}  // namespace hasa
