#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/kg/triple.h"

namespace hasa {

/// An error that says what about a question or a change cannot be met, so that a server need not read its message.
/// The page and the programs of a client branch on the reason.
class Refusal : public Error {
 public:
  enum class Reason {
    not_found,   ///< no entity or relation is called so (404)
    ambiguous,   ///< several are: candidates() (409)
    conflict,    ///< a change that does not fit what is there, or a run that takes none (409)
    unreadable,  ///< a text, for a run that reads none; a text without words (422)
  };

  Refusal(Reason reason, const std::string& message, std::vector<EntityId> candidates = {})
      : Error(reason == Reason::unreadable ? ErrorKind::config : ErrorKind::data, message),
        reason_(reason),
        candidates_(std::move(candidates)) {}

  Reason reason() const { return reason_; }
  /// The entities to choose from, the likeliest first; of an ambiguous name alone.
  const std::vector<EntityId>& candidates() const { return candidates_; }

 private:
  Reason reason_;
  std::vector<EntityId> candidates_;
};

template <class... Args>
[[noreturn]] void refuse(Refusal::Reason reason, fmt::format_string<Args...> format, Args&&... args) {
  throw Refusal(reason, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hasa
