#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hasa/http/message.h"

namespace hasa {

struct HttpLimits {
  std::size_t head_bytes = 16 << 10;  // of request line and headers
  std::size_t body_bytes = 1 << 20;
};

/// Parses a request from bytes that arrive in pieces of any size. HTTP/1.1 after RFC 9112, and strict where leniency
/// would let a proxy in front and this program see different requests: lines end in CRLF, the length is given once,
/// either by Content-Length or by chunks, header names contain no spaces, and there is one Host.
///
/// Memory is bounded by the limits, and time by the number of bytes.
class HttpRequestParser {
 public:
  enum class State {
    head,      ///< reading request line and headers
    body,      ///< reading the body
    complete,  ///< take() returns the request
    faulty     ///< fault() says why; nothing after it can be parsed
  };

  explicit HttpRequestParser(HttpLimits limits = {}) : limits_(limits) {}

  /// Returns how many bytes were consumed: fewer than given once the request is complete or faulty.
  std::size_t feed(std::string_view bytes);

  State state() const { return state_; }
  /// Whether a request has begun.
  bool has_begun() const { return state_ != State::head || !head_.empty() || passed_empty_line_; }
  /// Whether the client waits for "100 Continue" before it sends the body; true once per request.
  bool take_expects_continue();
  const HttpFault& fault() const { return fault_; }
  /// Starts over with the next request.
  HttpRequest take();

 private:
  enum class Body { none, counted, chunk_size, chunk, chunk_end, trailers };

  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  /// One byte of a line of a chunked body; true when line_ holds the complete line.
  bool feed_line(char c);
  void read_head();
  void read_request_line(std::string_view line);
  void read_target(std::string_view target);
  void read_header(std::string_view line);
  void understand_headers();
  void understand_connection(std::string_view value);
  void understand_length();
  void read_chunk_size();
  void fail_with(int status, std::string message);
  void refuse_body();

  HttpLimits limits_;
  State state_ = State::head;
  Body body_ = Body::none;
  std::string head_;
  std::string line_;                // of a chunked body
  std::uint64_t remaining_ = 0;     // of the body or of the current chunk
  std::size_t trailer_bytes_ = 0;   // of trailers and chunk extensions, which are all ignored
  bool passed_empty_line_ = false;  // before the request
  bool is_http_1_0_ = false;
  bool expects_continue_ = false;
  std::string authority_;  // of a target that is a complete URL: replaces Host
  HttpRequest request_;
  HttpFault fault_;
};

}  // namespace hasa
