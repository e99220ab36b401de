#include "hasa/http/connection.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace hasa {
namespace {

constexpr std::size_t kFairShare = 64 << 10;

/// 0 bytes if nothing has arrived yet.
HttpConnection::Io receive_some(const Fd& socket, std::array<char, kFairShare>& into, std::size_t& received) {
  const ssize_t count = ::recv(socket.get(), into.data(), into.size(), 0);
  received = count > 0 ? static_cast<std::size_t>(count) : 0;
  if (count > 0) return HttpConnection::Io::done;
  const bool later = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return later ? HttpConnection::Io::blocked : HttpConnection::Io::broken;
}

}  // namespace

HttpConnection::Io HttpConnection::receive() {
  std::array<char, kFairShare> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv fills it
  std::size_t received = 0;
  const Io io = receive_some(socket, block, received);
  input.append(block.data(), received);
  return io;
}

HttpConnection::Io HttpConnection::drain() {
  std::array<char, kFairShare> block;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv fills it
  std::size_t received = 0;
  return receive_some(socket, block, received);
}

void HttpConnection::parse() { input.erase(0, parser.feed(input)); }

HttpConnection::Io HttpConnection::flush() {
  while (sent < output.size()) {
    const ssize_t count = ::send(socket.get(), output.data() + sent, output.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Io::blocked : Io::broken;
    sent += static_cast<std::size_t>(count);
  }
  output.clear();
  sent = 0;
  return Io::done;
}

}  // namespace hasa
