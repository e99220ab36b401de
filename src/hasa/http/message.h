#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

struct HttpHeader {
  std::string name;  // in lower case if it is a request's
  std::string value;
};

/// A complete request as it was sent. Malformed ones never get this far (http/request_parser.h).
struct HttpRequest {
  std::string method;
  std::string path;   // "/v1/entities/a%20b": still encoded, because an encoded slash does not separate
  std::string query;  // after the "?", still encoded
  std::vector<HttpHeader> headers;
  std::string body;
  std::string peer;  // the client's address
  bool keep_alive = true;

  /// The first header of this name (in lower case); null if there is none.
  const std::string* header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<HttpHeader> headers;  // besides type and length
  bool close = false;               // close the connection afterwards
};

/// A request that reaches no handler: malformed, too large, too slow.
struct HttpFault {
  int status = 400;
  std::string message;
};

/// "Not Found"
std::string_view reason_of(int status);

/// The bytes of a response. `with_body` is false for HEAD: the length is still that of the body.
std::string serialise(const HttpResponse& response, bool keep_alive, bool with_body);

}  // namespace hasa
