#include "hasa/audit/words.h"

#include <cctype>
#include <string>

#include "hasa/base/hash.h"
#include "hasa/kg/fold_case.h"

namespace hasa {

std::vector<std::uint64_t> word_hashes(std::string_view text) {
  const std::string folded = fold_case(text);
  const auto in_word = [](char c) { return (c & 0x80) != 0 || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::vector<std::uint64_t> words;
  for (std::size_t at = 0; at < folded.size();) {
    if (!in_word(folded[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < folded.size() && in_word(folded[at])) ++at;
    words.push_back(hash_bytes(folded.data() + begin, at - begin));
  }
  return words;
}

}  // namespace hasa
