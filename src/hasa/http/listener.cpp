#include "hasa/http/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "hasa/base/error.h"
#include "hasa/base/shown_text.h"

namespace hasa {
namespace {

constexpr int kWaiting = 1024;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses addresses_of(const std::string& host, int port) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  HASA_CHECK(problem == 0, config, "cannot listen on the host \"{}\": {}\ngive an address of this machine with --host",
             shown(host), ::gai_strerror(problem));
  return {found, &::freeaddrinfo};
}

/// Empty, with errno set, if the system refuses.
Fd bound_to(const addrinfo& address) {
  Fd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return {};
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0 || ::listen(socket.get(), kWaiting) != 0) {
    const int problem = errno;
    socket.close();
    errno = problem;
    return {};
  }
  return socket;
}

}  // namespace

Fd listen_on(const std::string& host, int port) {
  const Addresses addresses = addresses_of(host, port);
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
    if (Fd socket = bound_to(*each)) return socket;
  }
  HASA_CHECK(errno != EADDRNOTAVAIL, config, "{} is no address of this machine\ngive one with --host", shown(host));
  fail(ErrorKind::unavailable, "cannot listen on port {} of {}: {}\nchoose another with --port", port, shown(host),
       std::strerror(errno));
}

int port_of(const Fd& listener) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Fd accept_from(const Fd& listener, std::string& peer) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  Fd socket(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket) return socket;
  const int yes = 1;  // a response is one write: delaying it gains nothing
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  std::array<char, NI_MAXHOST> name = {};
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, name.data(), name.size(), nullptr, 0,
                NI_NUMERICHOST);
  peer = name.data();
  return socket;
}

}  // namespace hasa
