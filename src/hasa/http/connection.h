#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "hasa/http/fd.h"
#include "hasa/http/request_parser.h"

namespace hasa {

/// One client's connection: its input and output buffers and its phase. HttpServer decides what happens next.
struct HttpConnection {
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase {
    reading,    ///< a request, or waiting for the next
    handling,   ///< the request is complete, the response is not ready yet
    writing,    ///< sending the response
    lingering,  ///< shut down for writing; what the client still sends is discarded, so that it can read the response
  };
  enum class Io { done, blocked, broken };

  HttpConnection(std::uint64_t number, Fd of_socket, std::string of_peer, HttpLimits limits)
      : id(number), socket(std::move(of_socket)), peer(std::move(of_peer)), parser(limits) {}

  /// Receives what the client has sent, up to a limit that is fair to the others; broken if the client has closed or
  /// the connection has failed.
  Io receive();
  /// Receives and discards what the client has sent.
  Io drain();
  /// Passes what was received to the parser.
  void parse();
  /// Sends what is in `output`.
  Io flush();
  /// Whether no byte of a next request has been received.
  bool is_idle() const { return phase == Phase::reading && input.empty() && !parser.has_begun(); }

  std::uint64_t id;
  Fd socket;
  std::string peer;
  HttpRequestParser parser;
  Phase phase = Phase::reading;
  Time deadline;
  std::uint32_t interest = 0;  // what epoll was told to watch for
  std::string input;           // received, not parsed yet
  std::string output;
  std::size_t sent = 0;  // of output

  // Of the current request.
  std::string method, path;
  Time started;
  bool keep_alive = true;
};

}  // namespace hasa
