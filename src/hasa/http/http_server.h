#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "hasa/http/connection.h"
#include "hasa/http/message.h"
#include "hasa/http/request_parser.h"
#include "hasa/http/responder.h"

namespace hasa {

using HttpSeconds = std::chrono::duration<double>;

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  // 0: any free port
  HttpLimits limits;
  std::size_t most_connections = 1024;
  HttpSeconds arrival{30};  // for a request to arrive completely, from its first byte
  HttpSeconds idle{75};     // until a connection without a request is closed
  HttpSeconds answer{30};   // for a handler to answer a request
};

/// What became of a request, for logs and metrics.
struct HttpExchange {
  std::string method, path, peer;  // method and path are empty if the request was malformed
  int status = 0;
  double seconds = 0;  // from the request's last byte to its response
  std::size_t bytes = 0;
};

/// All are called on the server's thread, one at a time: they must be quick and must not throw.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// Answers now, or keeps the responder and answers later.
  virtual void handle(HttpRequest request, HttpResponder responder) = 0;
  /// The body of an error response: malformed (400), too slow (408), too large (413), too busy (503).
  virtual HttpResponse refuse(const HttpFault& fault) = 0;
  virtual void finished(const HttpExchange& exchange) = 0;
};

struct HttpServerStats {
  std::size_t open = 0;
  std::uint64_t accepted = 0;
  std::uint64_t turned_away = 0;  // because of most_connections
};

/// HTTP/1.1 for many clients in one thread, with epoll: a slow client costs nothing but its buffers. The requests of a
/// connection are handled one after the other.
class HttpServer {
 public:
  /// Starts to listen, so that a port in use is reported at once; clients wait until run().
  HttpServer(HttpServerOptions options, HttpHandler& handler);
  ~HttpServer();

  int port() const;
  /// Serves until stop() has been called and the open requests are answered.
  void run();
  /// From any thread: no new connections; run() returns within `grace`.
  void stop(HttpSeconds grace);
  /// From any thread.
  HttpServerStats stats() const { return {open_, accepted_, turned_away_}; }

 private:
  using Time = HttpConnection::Time;

  void accept_connections();
  void turn_away(HttpConnection& connection);
  void on_event(HttpConnection& connection, std::uint32_t events);
  void receive(HttpConnection& connection);
  /// Advances the connection with what it has received.
  void advance(HttpConnection& connection);
  void start(HttpConnection& connection);
  void deliver_answers();
  void respond(HttpConnection& connection, const HttpResponse& response);
  void refuse(HttpConnection& connection, const HttpFault& fault);
  void flush(HttpConnection& connection);
  void finish_answer(HttpConnection& connection);
  void watch(HttpConnection& connection, std::uint32_t events);
  void close(HttpConnection& connection);
  void check_deadlines();
  void overdue(HttpConnection& connection);
  void begin_to_stop();
  void watch_listener(bool on);
  Time after(HttpSeconds seconds) const;

  HttpServerOptions options_;
  HttpHandler& handler_;
  Fd listener_;
  Fd epoll_;
  bool listener_watched_ = false;
  std::shared_ptr<HttpMailbox> mailbox_;
  std::unordered_map<std::uint64_t, std::unique_ptr<HttpConnection>> connections_;
  std::vector<std::unique_ptr<HttpConnection>> closed_;  // kept until no event of this turn can refer to them
  std::uint64_t next_id_;
  Time now_;
  Time next_check_;
  bool stopping_ = false;
  Time stop_deadline_;
  std::atomic<double> stop_asked_ = -1;  // the grace period; negative: stop() was not called
  std::atomic<std::size_t> open_ = 0;
  std::atomic<std::uint64_t> accepted_ = 0, turned_away_ = 0;
};

}  // namespace hasa
