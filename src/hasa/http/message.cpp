#include "hasa/http/message.h"

#include <fmt/format.h>

#include <iterator>

namespace hasa {

const std::string* HttpRequest::header(std::string_view name) const {
  for (const HttpHeader& each : headers) {
    if (each.name == name) return &each.value;
  }
  return nullptr;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 404: return "Not Found";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
  }
  return "Status";
}

std::string serialise(const HttpResponse& response, bool keep_alive, bool with_body) {
  std::string bytes;
  bytes.reserve(256 + (with_body ? response.body.size() : 0));
  fmt::format_to(std::back_inserter(bytes), "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
                 response.status, reason_of(response.status), response.type, response.body.size());
  for (const auto& [name, value] : response.headers) {
    fmt::format_to(std::back_inserter(bytes), "{}: {}\r\n", name, value);
  }
  bytes += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (with_body) bytes += response.body;
  return bytes;
}

}  // namespace hasa
