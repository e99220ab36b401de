#pragma once

#include <cstdint>
#include <string>

#include "hasa/base/config.h"

namespace hasa {

/// How an entity is put into words.
struct TextConfig {
  std::string entity = "{name}: {description}";
  std::int64_t max_tokens = 40;
  std::int64_t context = 0;
  std::int64_t own_tokens = 40;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("entity", &TextConfig::entity,
          "what is read of an entity: words around {name} and {description}; an entity without a description "
          "is its name alone");
    field("max_tokens", &TextConfig::max_tokens, "longest text in tokens, [CLS] and [SEP] included", Range{4, 512});
    field("context", &TextConfig::context,
          "training edges told after the description, each \"; <relation> <neighbour>\"; 0 reads the entity's own "
          "words alone",
          Range{0, 512});
    field("own_tokens", &TextConfig::own_tokens, "longest an entity's own words may be where context follows them",
          Range{1, 512});
  }
};

}  // namespace hasa
