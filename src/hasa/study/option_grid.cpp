#include "hasa/study/option_grid.h"

#include <algorithm>
#include <numeric>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"

namespace hasa {
namespace {

OptionGrid::Option parse_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  HASA_CHECK(equals != std::string::npos && equals > 0 && equals + 1 < text.size(), config,
             "\"{}\" gives no values to try: expected KEY=VALUE|VALUE, such as loss.beta=0.1|0.3|1", text);
  OptionGrid::Option option{text.substr(0, equals), {}};
  for (std::size_t at = equals + 1; at <= text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    HASA_CHECK(end > at, config, "\"{}\" has an empty value", text);
    option.values.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return option;
}

}  // namespace

OptionGrid::OptionGrid(const std::vector<std::string>& choices) : choices_(choices) {
  for (const std::string& each : choices) {
    options_.push_back(parse_option(each));
    const auto is_same = [&](const Option& option) { return option.key == options_.back().key; };
    HASA_CHECK(std::count_if(options_.begin(), options_.end(), is_same) == 1, config,
               "{} is there twice: name all its values in one, {}=A|B", options_.back().key, options_.back().key);
  }
}

OptionGrid OptionGrid::with(const std::vector<std::string>& choices) const {
  std::vector<std::string> all = choices_;
  all.insert(all.end(), choices.begin(), choices.end());
  return OptionGrid(all);
}

std::size_t OptionGrid::size() const {
  std::size_t size = 1;
  for (const Option& option : options_) size *= option.values.size();
  return size;
}

std::vector<std::string> OptionGrid::at(std::size_t number) const {
  std::vector<std::string> assignments(options_.size());
  for (std::size_t k = options_.size(); k-- > 0;) {
    const Option& option = options_[k];
    assignments[k] = option.key + "=" + option.values[number % option.values.size()];
    number /= option.values.size();
  }
  return assignments;
}

std::vector<std::vector<std::string>> OptionGrid::draws(std::size_t count, std::uint64_t seed) const {
  std::vector<std::size_t> numbers(size());
  std::iota(numbers.begin(), numbers.end(), 0);
  Rng(seed, "grid").shuffle(numbers);
  numbers.resize(std::min(count, numbers.size()));
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::vector<std::string>> drawn;
  for (const std::size_t number : numbers) drawn.push_back(at(number));
  return drawn;
}

}  // namespace hasa
