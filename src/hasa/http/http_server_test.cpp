#include "hasa/http/http_server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Echoes the request; /later is answered when the test says so, /never is dropped, /large has a large body.
class Echo : public HttpHandler {
 public:
  void handle(HttpRequest request, HttpResponder responder) override {
    if (request.path == "/never") return;
    const std::lock_guard lock(mutex);
    if (request.path == "/later") return held.push_back(std::move(responder));
    HttpResponse response{.type = "text/plain", .body = request.method + " " + request.path + " " + request.body};
    if (request.path == "/large") response.body = std::string(8 << 20, 'x');
    responder.send(std::move(response));
  }
  HttpResponse refuse(const HttpFault& fault) override {
    return {.status = fault.status, .type = "text/plain", .body = fault.message};
  }
  void finished(const HttpExchange& exchange) override {
    const std::lock_guard lock(mutex);
    finished_statuses.push_back(exchange.status);
  }
  void answer_held() {
    const std::lock_guard lock(mutex);
    for (HttpResponder& each : held) each.send({.type = "text/plain", .body = "at last"});
    held.clear();
  }
  std::size_t num_held() {
    const std::lock_guard lock(mutex);
    return held.size();
  }

  std::mutex mutex;
  std::vector<HttpResponder> held;
  std::vector<int> finished_statuses;
};

/// A server on a free port, with short time limits.
class Running {
 public:
  explicit Running(HttpServerOptions options = {}) : server(with_free_port(options), echo) {
    thread = std::thread([this] { server.run(); });
  }
  ~Running() {
    if (thread.joinable()) stop(HttpSeconds(0));
  }
  void stop(HttpSeconds grace) {
    server.stop(grace);
    thread.join();
  }
  static HttpServerOptions with_free_port(HttpServerOptions options) {
    options.port = 0;
    return options;
  }

  Echo echo;
  HttpServer server;
  std::thread thread;
};

class Client {
 public:
  static constexpr std::size_t kSearched = 1 << 20;  // longer responses are read to their end

  explicit Client(const Running& running) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(running.server.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval patience{.tv_sec = 120, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  void send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void get(const std::string& path) { send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n"); }
  /// Until this text has arrived, or the connection is closed.
  std::string receive_until(std::string_view text) {
    std::string bytes;
    char block[65536];
    while (bytes.size() > kSearched || bytes.find(text) == std::string::npos) {
      const ssize_t count = ::recv(socket_.get(), block, sizeof block, 0);
      if (count <= 0) break;
      bytes.append(block, static_cast<std::size_t>(count));
    }
    return bytes;
  }
  std::string receive_all() { return receive_until(std::string(1, '\0')); }

 private:
  Fd socket_;
};

/// Waits for something that another thread does.
template <class Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 20000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return condition();
}

TEST(HttpServer, AnswersSeveralRequestsOfAConnectionInOrder) {
  Running running;
  Client client(running);
  client.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
  client.send("GET /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string answers = client.receive_all();
  const std::size_t a = answers.find("GET /a "), b = answers.find("POST /b hi"), c = answers.find("GET /c ");
  ASSERT_NE(c, std::string::npos) << answers;
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
}

TEST(HttpServer, LetsAnAnswerComeFromAnotherThreadWhileOthersAreServed) {
  Running running;
  Client slow(running), quick(running);
  slow.get("/later");
  ASSERT_TRUE(comes_true([&] { return running.echo.num_held() == 1; }));
  quick.get("/now");
  EXPECT_THAT(quick.receive_until("/now"), StartsWith("HTTP/1.1 200 OK"));
  running.echo.answer_held();
  EXPECT_THAT(slow.receive_until("at last"), HasSubstr("at last"));
}

TEST(HttpServer, AnswersADroppedRequest) {
  Running running;
  Client client(running);
  client.get("/never");
  EXPECT_THAT(client.receive_all(), StartsWith("HTTP/1.1 503"));
}

TEST(HttpServer, GivesUpAnAnswerThatTakesTooLong) {
  Running running({.answer = HttpSeconds(0.1)});
  Client client(running);
  client.get("/later");
  EXPECT_THAT(client.receive_all(), HasSubstr("no answer within 0.1 s"));
  running.echo.answer_held();  // too late, and not a crash
}

TEST(HttpServer, TellsASlowClientSoAndClosesASilentOne) {
  // Two servers: on a busy machine the slow client might send nothing before the silent one's time is over.
  Running impatient({.arrival = HttpSeconds(0.1)}), brief({.idle = HttpSeconds(0.1)});
  Client slow(impatient), silent(brief);
  slow.send("GET / HTT");
  EXPECT_THAT(slow.receive_all(), StartsWith("HTTP/1.1 408"));
  EXPECT_EQ(silent.receive_all(), "");
}

TEST(HttpServer, RefusesAMalformedRequestAndABodyThatIsTooLargeWhileItIsSent) {
  Running running({.limits = {.body_bytes = 10}});
  Client malformed(running), large(running);
  malformed.send("nonsense\r\n\r\n");
  EXPECT_THAT(malformed.receive_all(), StartsWith("HTTP/1.1 400"));
  large.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'x'));
  EXPECT_THAT(large.receive_all(), StartsWith("HTTP/1.1 413"));
}

TEST(HttpServer, TellsAClientThatItsBodyIsWelcome) {
  Running running;
  Client client(running);
  client.send("PUT /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hi");
  EXPECT_THAT(client.receive_until("PUT /x hi"), HasSubstr("PUT /x hi"));
}

TEST(HttpServer, SendsALargeAnswerWhole) {
  Running running;
  Client client(running);
  client.send("GET /large HTTP/1.0\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the system's buffers fill
  EXPECT_GT(client.receive_all().size(), std::size_t{8} << 20);
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  Running running;
  Client client(running);
  client.send("HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string answer = client.receive_all();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST(HttpServer, TurnsAwayWhoComesAboveTheLimit) {
  Running running({.most_connections = 1});
  Client first(running);
  first.get("/a");
  first.receive_until("/a");
  Client second(running);
  EXPECT_THAT(second.receive_all(), HasSubstr("1 connections are open, which is the limit"));
  EXPECT_EQ(running.server.stats().turned_away, 1U);
  EXPECT_EQ(running.server.stats().open, 1U);
}

TEST(HttpServer, AnswersPendingRequestsBeforeItStopsAndClosesTheRest) {
  Running running;
  Client asking(running), idle(running);
  idle.get("/a");
  idle.receive_until("/a");
  asking.get("/later");
  ASSERT_TRUE(comes_true([&] { return running.echo.num_held() == 1; }));
  std::thread stopper([&] { running.stop(HttpSeconds(120)); });
  EXPECT_EQ(idle.receive_all(), "");
  running.echo.answer_held();
  const std::string answer = asking.receive_all();
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_THAT(answer, HasSubstr("at last"));
  stopper.join();
}

TEST(HttpServer, StopsWithinTheGraceWhateverIsInHand) {
  Running running;
  Client client(running);
  client.get("/later");
  ASSERT_TRUE(comes_true([&] { return running.echo.num_held() == 1; }));
  running.stop(HttpSeconds(0.05));
  EXPECT_EQ(client.receive_all(), "");
}

TEST(HttpServer, SurvivesAClientThatGoesAwayWhileItIsServed) {
  Running running;
  {
    Client client(running);
    client.get("/large");
  }
  {
    Client client(running);
    client.get("/later");
    ASSERT_TRUE(comes_true([&] { return running.echo.num_held() == 1; }));
  }
  running.echo.answer_held();
  Client other(running);
  other.get("/b");
  EXPECT_THAT(other.receive_until("/b"), HasSubstr("GET /b"));
  EXPECT_TRUE(comes_true([&] { return running.server.stats().open == 1; }));
}

TEST(HttpServer, SaysWhichPortIsTaken) {
  Running running;
  Echo echo;
  EXPECT_ERROR(HttpServer({.port = running.server.port()}, echo), "choose another with --port");
  EXPECT_ERROR(HttpServer({.host = "no such host"}, echo), "--host");
}

}  // namespace
}  // namespace hasa
