#pragma once

#include <torch/types.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hasa/model/text_reader.h"

namespace hasa {

/// A word of a text, and what the score loses when it is left out: below 0 where it spoke against the answer.
struct WordWeight {
  std::string word;
  double weight = 0;
};

/// Of the first `most` words of name and description, in their order. `scores` is called once, with the whole text and
/// the text without each of the words, and gives a score for each, [texts].
std::vector<WordWeight> word_weights(const UnseenEntity& text, std::size_t most,
                                     const std::function<torch::Tensor(std::span<const UnseenEntity>)>& scores);

}  // namespace hasa
