#include "hasa/serve/word_weights.h"

#include <string_view>

namespace hasa {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

struct Place {
  std::size_t begin, end;
};

/// Where the words of a text lie, at most so many.
std::vector<Place> words_of(std::string_view text, std::size_t most) {
  std::vector<Place> words;
  for (std::size_t end = 0; words.size() < most;) {
    const std::size_t begin = text.find_first_not_of(kBlanks, end);
    if (begin == std::string_view::npos) break;
    end = std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back({begin, end});
  }
  return words;
}

}  // namespace

std::vector<WordWeight> word_weights(const UnseenEntity& text, std::size_t most,
                                     const std::function<torch::Tensor(std::span<const UnseenEntity>)>& scores) {
  std::vector<UnseenEntity> texts = {text};
  std::vector<WordWeight> weights;
  for (std::string UnseenEntity::*part : {&UnseenEntity::name, &UnseenEntity::description}) {
    for (const Place& place : words_of(text.*part, most - weights.size())) {
      texts.push_back(text);
      (texts.back().*part).erase(place.begin, place.end - place.begin);
      weights.push_back({(text.*part).substr(place.begin, place.end - place.begin)});
    }
  }
  if (weights.size() < 2) return {};  // nothing is left of one word without it
  const torch::Tensor all = scores(texts).to(torch::kCPU, torch::kDouble).contiguous();
  const auto* score = all.const_data_ptr<double>();
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i].weight = score[0] - score[i + 1];
  return weights;
}

}  // namespace hasa
