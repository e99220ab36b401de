#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

struct HttpHeader {
  std::string name;  // of a request: in lower case
  std::string value;
};

/// A request as it was sent, whole. What a client may not send never gets this far (http/request_parser.h).
struct HttpRequest {
  std::string method;
  std::string path;   // "/v1/entities/a%20b": still encoded, since an encoded slash is no separator
  std::string query;  // what follows the "?", still encoded
  std::vector<HttpHeader> headers;
  std::string body;
  std::string peer;  // the client's address
  bool keep_alive = true;

  /// The first header of this name (in lower case); null where there is none.
  const std::string* header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<HttpHeader> headers;  // beside type and length
  bool close = false;               // the connection is closed afterwards
};

/// A request that cannot be answered as a request: malformed, too large, too slow.
struct HttpFault {
  int status = 400;
  std::string message;
};

/// "Not Found"
std::string_view reason_of(int status);

/// The bytes of a response. `with_body` false: as the answer to HEAD, the length still that of the body.
std::string serialise(const HttpResponse& response, bool keep_alive, bool with_body);

}  // namespace hasa
