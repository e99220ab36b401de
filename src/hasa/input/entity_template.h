#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hasa/text/word_piece.h"

namespace hasa {

/// Assembles an entity's text from tokens: "{name}: {description}".
///
/// Names and descriptions are tokenised once, separately. Their concatenated tokens are those of the whole text because
/// words end at spaces and punctuation; so a template in which a letter touches a field is rejected.
class EntityTemplate {
 public:
  /// Throws config for an unknown field, one that touches a letter, or no field at all.
  EntityTemplate(const std::string& pattern, const WordPiece& tokenizer);

  /// Appends the tokens. If a field of the template is empty, the words around it are left out.
  void append(std::span<const std::int32_t> name, std::span<const std::int32_t> description,
              std::vector<std::int32_t>& ids) const;

 private:
  enum class Kind { words, name, description };
  struct Part {
    Kind kind;
    std::vector<std::int32_t> ids;  // of words
  };
  std::vector<Part> parts_;
};

}  // namespace hasa
