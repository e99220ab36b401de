#ifdef HASA_DIST

#include "hasa/dist/gloo_device.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

namespace hasa {
namespace {

/// The address of this machine on the way to another: the one that others can reach it by.
std::optional<std::string> own_address_towards(const std::string& host, std::uint16_t port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return std::nullopt;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  std::optional<std::string> address;
  for (const addrinfo* each = found; each != nullptr && !address; each = each->ai_next) {
    const int socket = ::socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    std::array<char, NI_MAXHOST> name{};
    // Of a datagram socket, which sends nothing when it connects.
    if (::connect(socket, each->ai_addr, each->ai_addrlen) == 0 &&
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
        ::getnameinfo(reinterpret_cast<sockaddr*>(&own), length, name.data(), name.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      address = name.data();
    }
    ::close(socket);
  }
  return address;
}

}  // namespace

std::shared_ptr<gloo::transport::Device> gloo_device(const JobPlace& place) {
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"))
    return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  const auto address = own_address_towards(place.address, place.port);
  return address ? c10d::ProcessGroupGloo::createDeviceForHostname(*address)
                 : c10d::ProcessGroupGloo::createDefaultDevice();
}

}  // namespace hasa

#endif
