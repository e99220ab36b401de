#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/http/message.h"

namespace hasa {

/// What can be wrong with a request. Each has one status and one word, which is `kind` in the answer's body.
enum class ProblemKind {
  malformed,     ///< 400: not HTTP, not JSON, a field that is missing, unknown, or of another type
  forbidden,     ///< 400: Host or Origin of a web page that must not talk to this server
  unauthorised,  ///< 401: no token, or one that does not allow this
  not_found,     ///< 404: no such route, entity, relation or triple
  slow,          ///< 408: the request did not come whole in time
  ambiguous,     ///< 409: a name that several entities bear
  conflict,      ///< 409: what is there does not allow the change
  too_large,     ///< 413: a body, or a batch, above the limit
  unanswerable,  ///< 422: well-formed, and out of range, or nothing that this model can answer
  too_busy,      ///< 429: more questions wait than the server takes
  unavailable,   ///< 503: still opening, shutting down, or out of time
  internal,      ///< 500: our mistake
};

int status_of(ProblemKind kind);
std::string_view to_string(ProblemKind kind);

/// A request that is refused. The message says what was wrong, where, and what to do.
class Problem : public std::runtime_error {
 public:
  /// One of the entities to choose from.
  struct Candidate {
    std::string id, name, description;
  };

  Problem(ProblemKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ProblemKind kind() const { return kind_; }

  std::vector<Candidate> candidates;  // of an ambiguous name

 private:
  ProblemKind kind_;
};

template <class... Args>
[[noreturn]] void refuse(ProblemKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Problem(kind, fmt::format(format, std::forward<Args>(args)...));
}

/// {"error": {"kind": "not_found", "message": "..."}}
HttpResponse to_response(ProblemKind kind, std::string_view message);
/// The same, with "candidates" where there are some.
HttpResponse to_response(const Problem& problem);
/// Of a request that was never understood.
HttpResponse to_response(const HttpFault& fault);

/// The one place that maps errors to problems: what a client named is not there (data), is of no use to this model
/// (config, shape, numeric), or the machine has not what it takes (io, unavailable).
ProblemKind kind_of(const Error& error);

/// The answer to a request during which this was thrown; call it while the exception is handled.
HttpResponse response_to_exception();

}  // namespace hasa
