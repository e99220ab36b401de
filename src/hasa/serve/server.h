#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "hasa/base/stopwatch.h"
#include "hasa/http/http_server.h"
#include "hasa/serve/api.h"
#include "hasa/serve/front/access.h"
#include "hasa/serve/front/event_log.h"
#include "hasa/serve/front/metrics.h"

namespace hasa {

/// Which requests are written to the log.
enum class LoggedRequests { all, failed, none };

struct ServerOptions {
  HttpServerOptions http;
  AccessOptions access;
  ApiLimits limits;
  HttpSeconds grace{10};  // for requests in hand, once the server is to stop
  LoggedRequests logged = LoggedRequests::all;
};

/// One run over HTTP, as /openapi.json has it. From its making on clients may connect: /health answers, /ready and the
/// rest say that the run is still being opened.
class Server : private HttpHandler {
 public:
  using Open = std::function<std::unique_ptr<ServedRun>()>;

  /// The log must outlive it.
  Server(ServerOptions options, EventLog& log);
  int port() const { return http_.port(); }

  /// Opens the run and answers until `stop_requested` says so; then takes no connections any more, answers what is in
  /// hand, and returns. `on_ready` is called once questions are answered.
  void serve(const Open& open, const std::function<bool()>& stop_requested, const std::function<void()>& on_ready);

 private:
  void handle(HttpRequest request, HttpResponder responder) override;
  HttpResponse refuse(const HttpFault& fault) override;
  void finished(const HttpExchange& exchange) override;

  /// What is answered with or without a run.
  HttpResponse answer_here(const RouteMatch& match, const HttpRequest& request) const;
  HttpResponse ready() const;
  HttpResponse metrics() const;

  const ServerOptions options_;
  const Access access_;
  EventLog& log_;
  const Stopwatch since_start_;
  ServeMetrics metrics_;
  std::atomic<Api*> api_ = nullptr;  // null until the run is open
  std::atomic<bool> stopping_ = false;
  HttpServer http_;
};

}  // namespace hasa
