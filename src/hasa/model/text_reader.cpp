#include "hasa/model/text_reader.h"

namespace hasa {

UnseenEntity UnseenEntity::of_text(std::string_view text) {
  constexpr std::string_view kBetween = ": ";
  const std::size_t colon = text.find(kBetween);
  if (colon == std::string_view::npos || colon == 0) return {std::string(text), "", {}};
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + kBetween.size())), {}};
}

}  // namespace hasa
