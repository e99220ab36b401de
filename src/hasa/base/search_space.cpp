#include "hasa/base/search_space.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <optional>

#include "hasa/base/error.h"
#include "hasa/base/number_in.h"

namespace hasa {
namespace {}  // namespace

/// Takes the marks out of a YAML tree.
class MarkReader {
 public:
  MarkReader(SearchSpace& space, const std::string& source) : space_(space), source_(source) {}

  /// A copy of the node without what is marked.
  YAML::Node read(const YAML::Node& node, const std::string& key) {
    if (!node.IsMap()) return node;
    YAML::Node rest(YAML::NodeType::Map);
    for (const auto& entry : node) {
      const auto name = entry.first.as<std::string>();
      const std::string inner = key.empty() ? name : fmt::format("{}.{}", key, name);
      if (!take(entry.second, inner)) rest[name] = read(entry.second, inner);
    }
    return rest;
  }

 private:
  bool take(const YAML::Node& node, const std::string& key) {
    if (!node.IsMap() || node.size() != 1) return false;
    const auto word = node.begin()->first.as<std::string>();
    const bool range = word == "range", log_range = word == "log_range";
    if (!range && !log_range && word != "choices") return false;
    const YAML::Node list = node.begin()->second;
    HASA_CHECK(list.IsSequence() && list.size() > 0, config, "{}: {} is marked with {}, which needs a list such as {}",
               source_, key, word, range || log_range ? "[0.1, 0.5]" : "[128, 256]");
    SearchSpace::Mark mark{key,
                           range       ? SearchSpace::Kind::range
                           : log_range ? SearchSpace::Kind::log_range
                                       : SearchSpace::Kind::choices,
                           list.as<std::vector<std::string>>()};
    if (range || log_range) check_range(mark, word);
    space_.marks_.push_back(std::move(mark));
    return true;
  }

  void check_range(const SearchSpace::Mark& mark, const std::string& word) const {
    const auto low = mark.values.size() == 2 ? number_in<double>(mark.values[0]) : std::nullopt;
    const auto high = mark.values.size() == 2 ? number_in<double>(mark.values[1]) : std::nullopt;
    HASA_CHECK(low && high && *low <= *high, config, "{}: {} of {} takes two numbers, the smaller first", source_, word,
               mark.key);
    HASA_CHECK(mark.kind != SearchSpace::Kind::log_range || *low > 0, config,
               "{}: log_range of {} begins at {}, which has no logarithm\nbegin above 0", source_, mark.key, *low);
  }

  SearchSpace& space_;
  std::string source_;
};

SearchSpace SearchSpace::parse(const std::string& yaml, const std::string& source) {
  SearchSpace space;
  try {
    const YAML::Node root = YAML::Load(yaml);
    YAML::Emitter out;
    out << MarkReader(space, source).read(root, "");
    space.fixed_ = out.c_str();
  } catch (const YAML::Exception& problem) {
    fail(ErrorKind::config, "{}:{}: {}", source, problem.mark.line + 1, problem.msg);
  }
  return space;
}

std::vector<std::string> SearchSpace::keys() const {
  std::vector<std::string> keys;
  keys.reserve(marks_.size());
  for (const Mark& mark : marks_) keys.push_back(mark.key);
  return keys;
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

}  // namespace hasa
