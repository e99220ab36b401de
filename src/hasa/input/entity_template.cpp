#include "hasa/input/entity_template.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "hasa/base/error.h"

namespace hasa {
namespace {

/// A byte of a letter, digit or non-ASCII character, which does not end a word.
bool inside_word(char c) {
  return (static_cast<unsigned char>(c) & 0x80) != 0 || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

EntityTemplate::EntityTemplate(const std::string& pattern, const WordPiece& tokenizer) {
  std::size_t at = 0;
  while (at < pattern.size()) {
    const std::size_t open = std::min(pattern.find('{', at), pattern.size());
    if (open > at) {
      const std::string_view words = std::string_view(pattern).substr(at, open - at);
      HASA_CHECK(at == 0 || !inside_word(words.front()), config,
                 "text.entity is \"{}\": put a space or punctuation after each field", pattern);
      HASA_CHECK(open == pattern.size() || !inside_word(words.back()), config,
                 "text.entity is \"{}\": put a space or punctuation before each field", pattern);
      parts_.push_back({Kind::words, {}});
      tokenizer.encode(words, parts_.back().ids);
    }
    if (open == pattern.size()) break;
    const std::size_t close = pattern.find('}', open);
    const std::string field = pattern.substr(open, close == std::string::npos ? close : close - open + 1);
    HASA_CHECK(field == "{name}" || field == "{description}", config,
               "text.entity is \"{}\": unknown field {}, expected {{name}} or {{description}}", pattern, field);
    HASA_CHECK(parts_.empty() || parts_.back().kind == Kind::words, config,
               "text.entity is \"{}\": put a space or punctuation between its fields", pattern);
    parts_.push_back({field == "{name}" ? Kind::name : Kind::description, {}});
    at = close + 1;
  }
  const bool has_field = std::any_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.kind != Kind::words; });
  HASA_CHECK(
      has_field, config,
      "text.entity is \"{}\": it does not mention the entity, expected something like \"{{name}}: {{description}}\"",
      pattern);
}

void EntityTemplate::append(std::span<const std::int32_t> name, std::span<const std::int32_t> description,
                            std::vector<std::int32_t>& ids) const {
  const bool complete = std::none_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return (part.kind == Kind::name && name.empty()) || (part.kind == Kind::description && description.empty());
  });
  const auto put = [&](std::span<const std::int32_t> more) { ids.insert(ids.end(), more.begin(), more.end()); };
  for (const Part& part : parts_) {
    switch (part.kind) {
      case Kind::words:
        if (complete) put(part.ids);
        break;
      case Kind::name: put(name); break;
      case Kind::description: put(description); break;
    }
  }
}

}  // namespace hasa
