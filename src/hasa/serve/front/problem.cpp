#include "hasa/serve/front/problem.h"

#include <exception>
#include <nlohmann/json.hpp>

#include "hasa/base/log.h"

namespace hasa {

int status_of(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::malformed:
    case ProblemKind::forbidden: return 400;
    case ProblemKind::unauthorised: return 401;
    case ProblemKind::not_found: return 404;
    case ProblemKind::slow: return 408;
    case ProblemKind::ambiguous:
    case ProblemKind::conflict: return 409;
    case ProblemKind::too_large: return 413;
    case ProblemKind::unanswerable: return 422;
    case ProblemKind::too_busy: return 429;
    case ProblemKind::unavailable: return 503;
    case ProblemKind::internal: return 500;
  }
  return 500;
}

std::string_view to_string(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::malformed: return "malformed";
    case ProblemKind::forbidden: return "forbidden";
    case ProblemKind::unauthorised: return "unauthorised";
    case ProblemKind::not_found: return "not_found";
    case ProblemKind::slow: return "slow";
    case ProblemKind::ambiguous: return "ambiguous";
    case ProblemKind::conflict: return "conflict";
    case ProblemKind::too_large: return "too_large";
    case ProblemKind::unanswerable: return "unanswerable";
    case ProblemKind::too_busy: return "too_busy";
    case ProblemKind::unavailable: return "unavailable";
    case ProblemKind::internal: return "internal";
  }
  return "internal";
}

HttpResponse to_response(ProblemKind kind, std::string_view message) {
  return to_response(Problem(kind, std::string(message)));
}

HttpResponse to_response(const Problem& problem) {
  const ProblemKind kind = problem.kind();
  nlohmann::ordered_json error = {{"kind", to_string(kind)}, {"message", problem.what()}};
  for (const auto& [id, name, description] : problem.candidates) {
    error["candidates"].push_back({{"id", id}, {"name", name}, {"description", description}});
  }
  const nlohmann::ordered_json body = {{"error", std::move(error)}};
  HttpResponse response{.status = status_of(kind),
                        .body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
  if (kind == ProblemKind::unauthorised) response.headers.push_back({"WWW-Authenticate", "Bearer"});
  if (kind == ProblemKind::too_busy || kind == ProblemKind::unavailable) {
    response.headers.push_back({"Retry-After", "1"});
  }
  return response;
}

HttpResponse to_response(const HttpFault& fault) {
  switch (fault.status) {
    case 408: return to_response(ProblemKind::slow, fault.message);
    case 413: return to_response(ProblemKind::too_large, fault.message);
    case 503: return to_response(ProblemKind::unavailable, fault.message);
  }
  return to_response(ProblemKind::malformed, fault.message);
}

ProblemKind kind_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::data: return ProblemKind::not_found;
    case ErrorKind::config:
    case ErrorKind::shape:
    case ErrorKind::numeric: return ProblemKind::unanswerable;
    case ErrorKind::io:
    case ErrorKind::unavailable: return ProblemKind::unavailable;
  }
  return ProblemKind::internal;
}

HttpResponse response_to_exception() {
  try {
    throw;
  } catch (const Problem& problem) {
    return to_response(problem);
  } catch (const Error& error) {
    return to_response(kind_of(error), error.what());
  } catch (const std::exception& error) {
    log_warning("internal: {}", error.what());
    return to_response(ProblemKind::internal, "something went wrong here; the server's log says what");
  }
}

}  // namespace hasa
