// Sends requests to a server at moments that were fixed before the first of them, whatever the answers take (open
// loop), over a number of connections that stay open. A request that finds every connection busy waits for one, and its
// latency counts from the moment it should have been sent.
//
//   serve_load_driver HOST PORT PATH BODIES RATE SECONDS CONNECTIONS
//
// BODIES has one JSON document a line; they are sent in turn. Gaps between requests are drawn from an exponential
// distribution. Prints one JSON object: requests, statuses, and latencies in milliseconds.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void give_up(const std::string& why) { throw std::runtime_error(why); }

struct Connection {
  int socket = -1;
  bool busy = false;
  Clock::time_point due;  // of the request it carries
  std::string received;

  /// The status of a whole answer, which is taken out of what was received; 0 where it is not whole yet.
  int take_answer() {
    const std::size_t head = received.find("\r\n\r\n");
    if (head == std::string::npos) return 0;
    const std::size_t length = received.find("Content-Length: ");
    if (length == std::string::npos || length > head) give_up("an answer without a length");
    const std::size_t whole = head + 4 + std::strtoul(received.c_str() + length + 16, nullptr, 10);
    if (received.size() < whole) return 0;
    const int status = std::atoi(received.c_str() + 9);
    received.erase(0, whole);
    return status;
  }
};

int connect_to(const char* host, int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (::inet_pton(AF_INET, host, &address.sin_addr) != 1) give_up("the host is to be an IPv4 address");
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 && errno != EINPROGRESS)
    give_up("no connection");
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return socket;
}

class Load {
 public:
  Load(std::vector<std::string> requests, double rate, double seconds, std::vector<Connection> connections)
      : requests_(std::move(requests)), connections_(std::move(connections)) {
    std::mt19937_64 random(7);
    std::exponential_distribution<double> gap(rate);
    const auto begin = Clock::now() + std::chrono::milliseconds(200);  // for the connections
    for (double at = gap(random); at < seconds; at += gap(random)) {
      due_.push_back(begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(at)));
    }
  }

  void run() {
    const int epoll = ::epoll_create1(0), timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    watch(epoll, timer, kTimer);
    for (std::size_t i = 0; i < connections_.size(); ++i) watch(epoll, connections_[i].socket, i);
    std::vector<epoll_event> events(64);
    while (latencies_.size() < due_.size()) {
      set(timer);
      const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 60000);
      if (count == 0) give_up("no answer for a minute");
      for (int i = 0; i < count; ++i) {
        if (events[i].data.u64 != kTimer) receive(connections_[events[i].data.u64]);
      }
      send_what_is_due();
    }
  }

  nlohmann::ordered_json report() {
    std::sort(latencies_.begin(), latencies_.end());
    const auto at = [&](double share) { return latencies_[static_cast<std::size_t>(share * (latencies_.size() - 1))]; };
    nlohmann::ordered_json statuses;
    for (const auto& [status, count] : statuses_) statuses[std::to_string(status)] = count;
    const double seconds = std::chrono::duration<double>(Clock::now() - due_.front()).count();
    return {{"requests", latencies_.size()},
            {"per_second", latencies_.size() / seconds},
            {"statuses", statuses},
            {"p50_ms", at(.5)},
            {"p90_ms", at(.9)},
            {"p99_ms", at(.99)},
            {"p999_ms", at(.999)},
            {"max_ms", at(1)}};
  }

 private:
  static constexpr std::uint64_t kTimer = ~std::uint64_t{0};

  static void watch(int epoll, int descriptor, std::uint64_t number) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.u64 = number;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
  }

  /// Wakes at the next request.
  void set(int timer) const {
    if (next_ == due_.size()) return;
    const auto wait = std::max<std::int64_t>(1, std::chrono::nanoseconds(due_[next_] - Clock::now()).count());
    itimerspec spec = {};
    spec.it_value = {.tv_sec = wait / 1'000'000'000, .tv_nsec = wait % 1'000'000'000};
    ::timerfd_settime(timer, 0, &spec, nullptr);
  }

  void receive(Connection& connection) {
    char block[65536];
    ssize_t count;
    while ((count = ::recv(connection.socket, block, sizeof block, 0)) > 0)
      connection.received.append(block, static_cast<std::size_t>(count));
    if (count == 0) give_up("the server closed a connection");
    const int status = connection.take_answer();
    if (status == 0) return;
    ++statuses_[status];
    latencies_.push_back(std::chrono::duration<double, std::milli>(Clock::now() - connection.due).count());
    connection.busy = false;
  }

  void send_what_is_due() {
    for (; next_ < due_.size() && due_[next_] <= Clock::now(); ++next_) waiting_.push_back(next_);
    for (Connection& connection : connections_) {
      if (waiting_.empty()) return;
      if (connection.busy) continue;
      const std::size_t number = waiting_.front();
      waiting_.pop_front();
      const std::string& request = requests_[number % requests_.size()];
      if (::send(connection.socket, request.data(), request.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(request.size()))
        give_up("cannot send");
      connection.busy = true;
      connection.due = due_[number];
    }
  }

  std::vector<std::string> requests_;
  std::vector<Connection> connections_;
  std::vector<Clock::time_point> due_;
  std::size_t next_ = 0;             // of due_
  std::deque<std::size_t> waiting_;  // for a connection
  std::vector<double> latencies_;
  std::map<int, std::size_t> statuses_;
};

std::vector<std::string> requests_of(const char* path, const char* file, const char* host) {
  std::vector<std::string> requests;
  std::ifstream in(file);
  for (std::string body; std::getline(in, body);) {
    requests.push_back("POST " + std::string(path) + " HTTP/1.1\r\nHost: " + host +
                       "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                       "\r\n\r\n" + body);
  }
  if (requests.empty()) give_up("no bodies");
  return requests;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr, "usage: serve_load_driver HOST PORT PATH BODIES RATE SECONDS CONNECTIONS\n");
    return 2;
  }
  try {
    std::vector<Connection> connections(std::strtoul(argv[7], nullptr, 10));
    for (Connection& each : connections) each.socket = connect_to(argv[1], std::atoi(argv[2]));
    Load load(requests_of(argv[3], argv[4], argv[1]), std::atof(argv[5]), std::atof(argv[6]), std::move(connections));
    load.run();
    std::printf("%s\n", load.report().dump().c_str());
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "error: %s\n", problem.what());
    return 1;
  }
}
