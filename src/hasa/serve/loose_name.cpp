#include "hasa/serve/loose_name.h"

#include <algorithm>

#include "hasa/kg/fold_case.h"

namespace hasa {
namespace {

std::string_view without_spaces_around(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string loosely(std::string_view text) {
  std::string folded = fold_case(text);
  std::replace(folded.begin(), folded.end(), '_', ' ');
  return std::string(without_spaces_around(folded));
}

std::vector<std::string_view> names_in(std::string_view list) {
  std::vector<std::string_view> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    names.push_back(without_spaces_around(list.substr(0, comma)));
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  return names;
}

}  // namespace hasa
