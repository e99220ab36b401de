#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "hasa/http/fd.h"
#include "hasa/http/request_parser.h"

namespace hasa {

/// One client's connection: its bytes in and out, and where it stands. What to do with it is HttpServer's affair.
struct HttpConnection {
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase {
    reading,    ///< a request, or waiting for the next
    handling,   ///< a request is whole, its answer is not there yet
    writing,    ///< an answer
    lingering,  ///< nothing more is said; what the client still sends is thrown away, so that it can read our last
                ///< words
  };
  enum class Io { done, blocked, broken };

  HttpConnection(std::uint64_t number, Fd of_socket, std::string of_peer, HttpLimits limits)
      : id(number), socket(std::move(of_socket)), peer(std::move(of_peer)), parser(limits) {}

  /// Takes in what the client has sent, up to a fair share; broken where it has ended or failed.
  Io receive();
  /// Throws away what the client has sent.
  Io drain();
  /// Hands what was received to the parser.
  void parse();
  /// Sends what is in `output`.
  Io flush();
  /// Nothing of a next request is here.
  bool is_idle() const { return phase == Phase::reading && input.empty() && !parser.has_begun(); }

  std::uint64_t id;
  Fd socket;
  std::string peer;
  HttpRequestParser parser;
  Phase phase = Phase::reading;
  Time deadline;
  std::uint32_t interest = 0;  // what epoll was told to watch for
  std::string input;           // received and not parsed yet
  std::string output;
  std::size_t sent = 0;  // of output

  // Of the request in hand.
  std::string method, path;
  Time started;
  bool keep_alive = true;
};

}  // namespace hasa
