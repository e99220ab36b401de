#include "hasa/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace hasa {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool starts_with_any_case(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), text.begin(), same_letter);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  // Three rows of the table: the one being filled, the one before, and the one before that for swaps.
  std::vector<std::size_t> before(a.size() + 1), previous(a.size() + 1), current(a.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= b.size(); ++i) {
    current[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= a.size(); ++j) {
      const std::size_t change = previous[j - 1] + (same_letter(a[j - 1], b[i - 1]) ? 0 : 1);
      current[j] = std::min({change, previous[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && same_letter(a[j - 1], b[i - 2]) && same_letter(a[j - 2], b[i - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
      least = std::min(least, current[j]);
    }
    if (least > limit) return limit + 1;
    before.swap(previous);
    previous.swap(current);
  }
  return std::min(previous[a.size()], limit + 1);
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names, std::size_t count) {
  const std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);
  std::vector<std::pair<std::size_t, const std::string*>> near;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name, limit);
    if (distance <= limit) {
      near.emplace_back(distance, &name);
    } else if (wanted.size() >= 3 && starts_with_any_case(name, wanted)) {
      near.emplace_back(limit + 1, &name);  // an unfinished name comes after the misspelt ones
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> result;
  for (const auto& [distance, name] : near) {
    if (result.size() == count) break;
    if (std::find(result.begin(), result.end(), *name) == result.end()) result.push_back(*name);
  }
  return result;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names, std::size_t count) {
  return did_you_mean(nearest_names(wanted, names, count));
}

std::string did_you_mean(std::span<const std::string> chosen) {
  if (chosen.empty()) return "";
  std::string list = chosen.front();
  for (std::size_t i = 1; i < chosen.size(); ++i) list += (i + 1 == chosen.size() ? " or " : ", ") + chosen[i];
  return "; did you mean " + list + "?";
}

}  // namespace hasa
