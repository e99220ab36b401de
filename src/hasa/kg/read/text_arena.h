#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace hasa {

/// Holds strings where they stay put, packed one behind the other, until it goes itself.
class TextArena {
 public:
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    char* const place = reserve(text.size());
    std::copy(text.begin(), text.end(), place);
    return {place, text.size()};
  }

 private:
  char* reserve(std::size_t size) {
    constexpr std::size_t kChunk = 1 << 16;
    if (size > left_) {
      left_ = std::max(kChunk, size);
      chunks_.push_back(std::make_unique<char[]>(left_));
      next_ = chunks_.back().get();
    }
    char* const place = next_;
    next_ += size;
    left_ -= size;
    return place;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace hasa
