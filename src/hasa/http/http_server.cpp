#include "hasa/http/http_server.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/system_error.h"
#include "hasa/http/listener.h"

namespace hasa {
namespace {

using Phase = HttpConnection::Phase;
using Io = HttpConnection::Io;

// What epoll reports besides connections; connections have the numbers after these.
constexpr std::uint64_t kListenerEvent = 0, kMailboxEvent = 1, kFirstConnection = 2;
constexpr int kMostEvents = 256;
constexpr int kMostAccepted = 64;  // in one turn
constexpr auto kBetweenChecks = std::chrono::milliseconds(50);
constexpr HttpSeconds kToSend{30};   // until a client that does not read is disconnected
constexpr HttpSeconds kToLinger{2};  // for a client to read the last response

void tell_epoll(const Fd& epoll, int what, int descriptor, std::uint64_t id, std::uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  ::epoll_ctl(epoll.get(), what, descriptor, &event);
}

}  // namespace

HttpServer::HttpServer(HttpServerOptions options, HttpHandler& handler)
    : options_(std::move(options)),
      handler_(handler),
      listener_(listen_on(options_.host, options_.port)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      mailbox_(std::make_shared<HttpMailbox>()),
      next_id_(kFirstConnection) {
  if (!epoll_) fail_system("make", "an epoll");
  tell_epoll(epoll_, EPOLL_CTL_ADD, mailbox_->descriptor(), kMailboxEvent, EPOLLIN);
  watch_listener(true);
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return port_of(listener_); }

void HttpServer::stop(HttpSeconds grace) {
  stop_asked_ = grace.count();
  mailbox_->wake();
}

HttpServer::Time HttpServer::after(HttpSeconds seconds) const {
  return now_ + std::chrono::duration_cast<Time::duration>(seconds);
}

void HttpServer::run() {
  std::array<epoll_event, kMostEvents> events = {};
  now_ = next_check_ = std::chrono::steady_clock::now();
  while (!stopping_ || (!connections_.empty() && now_ < stop_deadline_)) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), kMostEvents, static_cast<int>(kBetweenChecks.count()));
    now_ = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      const std::uint64_t id = events[i].data.u64;
      if (id == kListenerEvent) accept_connections();
      const auto found = connections_.find(id);
      if (found != connections_.end()) on_event(*found->second, events[i].events);
    }
    deliver_answers();
    if (now_ >= next_check_) check_deadlines();
    if (!stopping_ && stop_asked_ >= 0) begin_to_stop();
    closed_.clear();
  }
  while (!connections_.empty()) close(*connections_.begin()->second);
  closed_.clear();
}

void HttpServer::watch_listener(bool on) {
  if (on == listener_watched_ || !listener_) return;
  tell_epoll(epoll_, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, listener_.get(), kListenerEvent, EPOLLIN);
  listener_watched_ = on;
}

void HttpServer::accept_connections() {
  for (int i = 0; i < kMostAccepted; ++i) {
    std::string peer;
    Fd socket = accept_from(listener_, peer);
    if (!socket) {
      // Out of descriptors: the client keeps waiting, and accepting it is tried again a little later.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) watch_listener(false);
      return;
    }
    auto made = std::make_unique<HttpConnection>(next_id_++, std::move(socket), std::move(peer), options_.limits);
    ++accepted_;
    if (connections_.size() >= options_.most_connections) {
      turn_away(*made);
      continue;
    }
    HttpConnection& connection = *connections_.emplace(made->id, std::move(made)).first->second;
    open_ = connections_.size();
    connection.deadline = after(options_.idle);
    tell_epoll(epoll_, EPOLL_CTL_ADD, connection.socket.get(), connection.id, EPOLLIN);
    connection.interest = EPOLLIN;
  }
}

void HttpServer::turn_away(HttpConnection& connection) {
  ++turned_away_;
  const HttpResponse response =
      handler_.refuse({503, fmt::format("{} connections are open, which is the limit", options_.most_connections)});
  connection.output = serialise(response, /*keep_alive=*/false, /*with_body=*/true);
  connection.flush();
}

void HttpServer::on_event(HttpConnection& connection, std::uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return close(connection);
  if ((events & EPOLLOUT) != 0 && connection.phase == Phase::writing) flush(connection);
  if ((events & EPOLLIN) != 0 && connection.socket) receive(connection);
}

void HttpServer::receive(HttpConnection& connection) {
  if (connection.phase == Phase::lingering) {
    if (connection.drain() == Io::broken) close(connection);
    return;
  }
  // One request at a time: what arrives in the meantime waits in the socket.
  if (connection.phase != Phase::reading) return watch(connection, connection.interest & ~EPOLLIN);
  const bool was_idle = connection.is_idle();
  const Io io = connection.receive();
  if (io == Io::broken) return close(connection);
  if (was_idle && io == Io::done) connection.deadline = after(options_.arrival);
  advance(connection);
}

void HttpServer::advance(HttpConnection& connection) {
  connection.parse();
  if (connection.parser.take_expects_continue()) {
    connection.output += "HTTP/1.1 100 Continue\r\n\r\n";
    if (connection.flush() != Io::done) return close(connection);  // no room even for 25 bytes
  }
  if (connection.parser.state() == HttpRequestParser::State::complete) start(connection);
  if (connection.parser.state() == HttpRequestParser::State::faulty) refuse(connection, connection.parser.fault());
}

void HttpServer::start(HttpConnection& connection) {
  HttpRequest request = connection.parser.take();
  request.peer = connection.peer;
  connection.method = request.method;
  connection.path = request.path;
  connection.keep_alive = request.keep_alive;
  connection.started = now_;
  connection.phase = Phase::handling;
  connection.deadline = after(options_.answer);
  handler_.handle(std::move(request), HttpResponder(mailbox_, connection.id));
}

void HttpServer::deliver_answers() {
  // A response may start the connection's next request, whose handler may respond at once.
  for (auto letters = mailbox_->take(); !letters.empty(); letters = mailbox_->take()) {
    now_ = std::chrono::steady_clock::now();
    for (const HttpMailbox::Letter& letter : letters) {
      const auto found = connections_.find(letter.connection);
      if (found == connections_.end() || found->second->phase != Phase::handling) continue;
      if (letter.response) {
        respond(*found->second, *letter.response);
      } else {
        refuse(*found->second, {503, "the request was given up"});
      }
    }
  }
}

void HttpServer::refuse(HttpConnection& connection, const HttpFault& fault) {
  if (connection.phase == Phase::reading) {  // the request was malformed
    connection.method.clear();
    connection.path.clear();
    connection.started = now_;
  }
  connection.keep_alive = false;
  respond(connection, handler_.refuse(fault));
}

void HttpServer::respond(HttpConnection& connection, const HttpResponse& response) {
  connection.phase = Phase::writing;
  connection.deadline = after(kToSend);
  connection.keep_alive = connection.keep_alive && !response.close && !stopping_;
  connection.output += serialise(response, connection.keep_alive, connection.method != "HEAD");
  handler_.finished({.method = connection.method,
                     .path = connection.path,
                     .peer = connection.peer,
                     .status = response.status,
                     .seconds = HttpSeconds(now_ - connection.started).count(),
                     .bytes = connection.output.size()});
  flush(connection);
}

void HttpServer::flush(HttpConnection& connection) {
  switch (connection.flush()) {
    case Io::done: return finish_answer(connection);
    case Io::blocked: return watch(connection, connection.interest | EPOLLOUT);
    case Io::broken: return close(connection);
  }
}

void HttpServer::finish_answer(HttpConnection& connection) {
  watch(connection, EPOLLIN);
  if (!connection.keep_alive) {
    if (stopping_) return close(connection);
    ::shutdown(connection.socket.get(), SHUT_WR);
    connection.phase = Phase::lingering;
    connection.deadline = after(kToLinger);
    return;
  }
  connection.phase = Phase::reading;
  connection.deadline = after(connection.input.empty() ? options_.idle : options_.arrival);
  if (!connection.input.empty()) advance(connection);
}

void HttpServer::watch(HttpConnection& connection, std::uint32_t events) {
  if (events == connection.interest) return;
  connection.interest = events;
  tell_epoll(epoll_, EPOLL_CTL_MOD, connection.socket.get(), connection.id, events);
}

void HttpServer::close(HttpConnection& connection) {
  connection.socket.close();
  const auto found = connections_.find(connection.id);
  closed_.push_back(std::move(found->second));
  connections_.erase(found);
  open_ = connections_.size();
}

void HttpServer::check_deadlines() {
  next_check_ = now_ + kBetweenChecks;
  if (!stopping_) watch_listener(true);
  std::vector<HttpConnection*> late;
  for (const auto& [id, connection] : connections_) {
    if (now_ >= connection->deadline) late.push_back(connection.get());
  }
  for (HttpConnection* connection : late) overdue(*connection);
}

void HttpServer::overdue(HttpConnection& connection) {
  if (connection.phase == Phase::handling) {
    return refuse(connection, {503, fmt::format("no answer within {:g} s", options_.answer.count())});
  }
  if (connection.phase != Phase::reading || connection.is_idle()) return close(connection);
  refuse(connection, {408, fmt::format("the request was not whole within {:g} s", options_.arrival.count())});
}

void HttpServer::begin_to_stop() {
  stopping_ = true;
  stop_deadline_ = after(HttpSeconds(stop_asked_.load()));
  watch_listener(false);
  listener_.close();
  std::vector<HttpConnection*> done;
  for (const auto& [id, connection] : connections_) {
    if (connection->is_idle() || connection->phase == Phase::lingering) done.push_back(connection.get());
  }
  for (HttpConnection* connection : done) close(*connection);
}

}  // namespace hasa
