#include "hasa/serve/server.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "hasa/base/memory.h"
#include "hasa/serve/front/openapi.h"
#include "hasa/serve/front/problem.h"
#include "hasa/serve/front/routes.h"
#include "hasa/serve/page/page_files.h"

namespace hasa {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

HttpResponse page_file(const std::string& path) {
  const auto files = page_files();
  const auto file = std::find_if(files.begin(), files.end(), [&](const PageFile& each) { return each.path == path; });
  if (file == files.end()) refuse(ProblemKind::not_found, "the page has no file of this name");
  return {.type = std::string(file->type),
          .body = file->text,
          .headers = {{"Content-Security-Policy", std::string(kPagePolicy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}}};
}

HttpResponse with_safe_headers(HttpResponse response) {
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"Cross-Origin-Resource-Policy", "same-origin"});
  return response;
}

}  // namespace

Server::Server(ServerOptions options, EventLog& log)
    : options_(std::move(options)), access_(options_.access), log_(log), http_(options_.http, *this) {
  log_.write(LogLevel::info, "listening", {{"host", options_.http.host}, {"port", port()}});
}

void Server::serve(const Open& open, const std::function<bool()>& stop_requested,
                   const std::function<void()>& on_ready) {
  std::thread front([this] { http_.run(); });
  // Whatever happens, the front's thread is told to end and waited for.
  const auto end = [&](HttpSeconds grace) {
    stopping_ = true;
    http_.stop(grace);
    front.join();
    api_ = nullptr;
  };
  try {
    const std::unique_ptr<ServedRun> run = open();
    Api api(*run, metrics_, options_.limits);
    api_ = &api;
    log_.write(LogLevel::info, "ready", {{"run", run->run().folder().string()}, {"seconds", since_start_.seconds()}});
    on_ready();
    while (!stop_requested()) std::this_thread::sleep_for(kBetweenLooks);
    log_.write(LogLevel::info, "stopping", {{"grace", options_.grace.count()}});
    end(options_.grace);
  } catch (...) {
    if (front.joinable()) end(HttpSeconds(0));
    throw;
  }
  log_.write(LogLevel::info, "stopped", {{"seconds", since_start_.seconds()}});
}

void Server::handle(HttpRequest request, HttpResponder responder) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(options_.http.answer);
  try {
    access_.check_browser(request);
    const RouteMatch match = match_route(request);
    access_.check_token(request, match.entry->needs);
    if (match.entry->is_here) return responder.send(with_safe_headers(answer_here(match, request)));
    Api* api = api_;
    if (api == nullptr)
      hasa::refuse(ProblemKind::unavailable, "the run is still being opened; /ready tells when it is");
    api->handle(match, request, responder, deadline);
  } catch (...) {
    responder.send(with_safe_headers(response_to_exception()));
  }
}

HttpResponse Server::refuse(const HttpFault& fault) { return with_safe_headers(to_response(fault)); }

HttpResponse Server::answer_here(const RouteMatch& match, const HttpRequest& request) const {
  switch (match.entry->route) {
    case Route::page: return page_file("/");
    case Route::page_file: return page_file("/page/" + match.argument);
    case Route::health: return {.body = R"({"status":"ok"})"};
    case Route::ready: return ready();
    case Route::metrics: return metrics();
    case Route::openapi: return {.body = kOpenApi};
    default: HASA_ASSERT(false);
  }
}

HttpResponse Server::ready() const {
  if (stopping_) return to_response(ProblemKind::unavailable, "the server is shutting down");
  if (api_ == nullptr) return to_response(ProblemKind::unavailable, "the run is still being opened");
  return {.body = R"({"status":"ready"})"};
}

HttpResponse Server::metrics() const {
  const Api* api = api_;
  const HttpServerStats stats = http_.stats();
  std::vector<MetricGauge> gauges = {
      {"hasa_ready", "Whether questions are answered.", api != nullptr && !stopping_ ? 1.0 : 0.0},
      {"hasa_uptime_seconds", "Since the process started to listen.", since_start_.seconds()},
      {"hasa_resident_memory_bytes", "Memory of the process.", static_cast<double>(resident_bytes())},
      {"hasa_allocated_memory_bytes", "Memory allocated and not freed.", static_cast<double>(allocated_bytes())},
      {"hasa_connections_open", "Connections.", static_cast<double>(stats.open)},
      {"hasa_connections_total", "Connections accepted.", static_cast<double>(stats.accepted), true},
      {"hasa_connections_turned_away_total", "Connections above the limit.", static_cast<double>(stats.turned_away),
       true},
      {"hasa_log_lines_lost_total", "Lines that nobody took in time.", static_cast<double>(log_.lost()), true},
  };
  if (api != nullptr) {
    const auto state = api->run().state();
    gauges.push_back({"hasa_questions_waiting", "Questions that wait to be scored, those with new texts aside.",
                      static_cast<double>(api->questions_waiting())});
    gauges.push_back({"hasa_text_tokens_waiting", "Tokens of new texts that wait to be read.",
                      static_cast<double>(api->tokens_waiting())});
    gauges.push_back(
        {"hasa_entities", "Entities of the graph, changes among them.", static_cast<double>(state->living())});
    gauges.push_back(
        {"hasa_changes_waiting", "Changes that wait to be written.", static_cast<double>(api->changes_waiting())});
    gauges.push_back(
        {"hasa_journal_bytes", "The journal of changes.", static_cast<double>(api->run().live().journal_bytes())});
  }
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_.text(gauges)};
}

void Server::finished(const HttpExchange& exchange) {
  const RouteEntry* route = find_route(exchange.method, exchange.path);
  metrics_.count_request(route == nullptr ? "other" : route->name, exchange.status, exchange.seconds);
  // Whoever asks /ready while the run is opened is told what is so: nothing failed.
  const bool failed = exchange.status >= 400 && (route == nullptr || route->route != Route::ready);
  if (options_.logged == LoggedRequests::none || (options_.logged == LoggedRequests::failed && !failed)) return;
  log_.write(failed && exchange.status >= 500 ? LogLevel::warning : LogLevel::info, "request",
             {{"method", exchange.method},
              {"path", exchange.path},
              {"status", exchange.status},
              {"ms", std::round(exchange.seconds * 1e6) / 1e3},
              {"bytes", exchange.bytes},
              {"peer", exchange.peer}});
}

}  // namespace hasa
