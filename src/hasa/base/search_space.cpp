#include "hasa/base/search_space.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "hasa/base/config_words.h"
#include "hasa/base/error.h"
#include "hasa/base/number_in.h"
#include "hasa/base/yaml_document.h"

namespace hasa {

/// Takes the marks out of a YAML tree. What stays keeps its place in the file.
class MarkReader {
 public:
  MarkReader(SearchSpace& space, const std::string& source) : space_(space), source_(source) {}

  void read(YAML::Node node, const std::string& prefix) {
    if (!node.IsMap()) return;
    std::vector<std::string> marked;
    for (const auto& entry : node) {
      const auto name = entry.first.as<std::string>();
      const std::string key = detail::join(prefix, name);
      if (detail::is_search_mark(entry.second)) {
        take(entry.second, key, detail::line_of(entry.first, source_));
        marked.push_back(name);
      } else {
        read(entry.second, key);
      }
    }
    for (const std::string& name : marked) node.remove(name);
  }

 private:
  void take(const YAML::Node& node, const std::string& key, const std::string& place) {
    const auto word = node.begin()->first.as<std::string>();
    const bool range = word == "range", log_range = word == "log_range";
    const YAML::Node list = node.begin()->second;
    HASA_CHECK(list.IsSequence() && list.size() > 0, config, "{}: {} is marked with {}, which needs a list such as {}",
               place, key, word, range || log_range ? "[0.1, 0.5]" : "[128, 256]");
    SearchSpace::Mark mark{key, place,
                           range       ? SearchSpace::Kind::range
                           : log_range ? SearchSpace::Kind::log_range
                                       : SearchSpace::Kind::choices,
                           list.as<std::vector<std::string>>()};
    if (range || log_range) check_range(mark, word);
    const std::set<std::string> different(mark.values.begin(), mark.values.end());
    HASA_CHECK(range || log_range || different.size() == mark.values.size(), config,
               "{}: a choice of {} is given twice\nleave one of them out", place, key);
    space_.keys_.push_back(key);
    space_.marks_.push_back(std::move(mark));
  }

  static void check_range(const SearchSpace::Mark& mark, const std::string& word) {
    const auto low = mark.values.size() == 2 ? number_in<double>(mark.values[0]) : std::nullopt;
    const auto high = mark.values.size() == 2 ? number_in<double>(mark.values[1]) : std::nullopt;
    HASA_CHECK(low && high && *low <= *high, config, "{}: {} of {} takes two numbers, the smaller first", mark.place,
               word, mark.key);
    HASA_CHECK(mark.kind != SearchSpace::Kind::log_range || *low > 0, config,
               "{}: log_range of {} begins at {}, which has no logarithm\nbegin above 0", mark.place, mark.key, *low);
  }

  SearchSpace& space_;
  std::string source_;
};

/// A YAML tree in which only marked values are left out.
struct SearchSpace::Rest {
  YAML::Node root;
  std::string source;
};

SearchSpace SearchSpace::parse(const std::string& yaml, const std::string& source) {
  SearchSpace space;
  const YAML::Node root = detail::load_yaml(yaml, source);
  try {
    MarkReader(space, source).read(root, "");
  } catch (const YAML::Exception& problem) {
    fail(ErrorKind::config, "{}:{}: {}", source, problem.mark.line + 1, problem.msg);
  }
  space.rest_ = std::make_shared<const Rest>(Rest{root, source});
  return space;
}

void SearchSpace::apply_fixed(const Fields& fields) const {
  detail::apply_document(fields, rest_->root, rest_->source, UnknownOptions::refuse);
}

void SearchSpace::check(const Fields& fields) const {
  for (const Mark& mark : marks_) {
    for (const std::string& value : mark.values) {
      try {
        apply_assignment(fields, mark.key + "=" + value);
      } catch (const Error& error) {
        fail(error.kind(), "{}: {}", mark.place, error.what());
      }
    }
  }
}

std::optional<std::uint64_t> SearchSpace::size_of(const Mark& mark) {
  if (mark.kind == Kind::choices) return mark.values.size();
  if (*number_in<double>(mark.values[0]) == *number_in<double>(mark.values[1])) return 1;
  const auto low = number_in<std::int64_t>(mark.values[0]), high = number_in<std::int64_t>(mark.values[1]);
  if (!low || !high) return std::nullopt;
  return static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low) + 1;
}

std::optional<std::uint64_t> SearchSpace::size() const {
  std::uint64_t product = 1;
  for (const Mark& mark : marks_) {
    const auto of_mark = size_of(mark);
    if (!of_mark || *of_mark > std::numeric_limits<std::uint64_t>::max() / product) return std::nullopt;
    product *= *of_mark;
  }
  return product;
}

std::string SearchSpace::value_of(const Mark& mark, Rng& rng) {
  if (mark.kind == Kind::choices) return mark.values[rng.below(mark.values.size())];
  const auto low = number_in<std::int64_t>(mark.values[0]), high = number_in<std::int64_t>(mark.values[1]);
  const double from = *number_in<double>(mark.values[0]), to = *number_in<double>(mark.values[1]);
  if (mark.kind == Kind::range && low && high)
    return std::to_string(*low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(*high - *low) + 1)));
  const double u = rng.uniform();
  const double value = mark.kind == Kind::range ? from + u * (to - from) : from * std::pow(to / from, u);
  if (low && high) return std::to_string(std::llround(value));
  return fmt::format("{:.4g}", value);
}

std::vector<std::string> SearchSpace::draw(Rng& rng) const {
  std::vector<std::string> assignments;
  assignments.reserve(marks_.size());
  for (const Mark& mark : marks_) assignments.push_back(mark.key + "=" + value_of(mark, rng));
  return assignments;
}

std::vector<std::vector<std::string>> SearchSpace::distinct_draws(std::size_t count, std::uint64_t seed) const {
  // A range so narrow that its numbers are printed alike has no size, but is exhausted all the same.
  constexpr int kMostAttempts = 100'000;
  const std::uint64_t most = size().value_or(std::numeric_limits<std::uint64_t>::max());
  std::vector<std::vector<std::string>> draws;
  std::set<std::vector<std::string>> drawn;
  while (draws.size() < std::min<std::uint64_t>(count, most)) {
    Rng rng(seed, "trial", draws.size() + 1);
    std::vector<std::string> next = draw(rng);
    for (int attempt = 1; drawn.contains(next) && attempt < kMostAttempts; ++attempt) next = draw(rng);
    if (!drawn.insert(next).second) break;
    draws.push_back(std::move(next));
  }
  return draws;
}

}  // namespace hasa
