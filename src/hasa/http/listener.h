#pragma once

#include <string>

#include "hasa/http/fd.h"

namespace hasa {

/// A socket on which connections wait. `host` is a name or an address; port 0 lets the system choose. Throws config
/// where the host is unknown, unavailable where the port is taken or not allowed.
Fd listen_on(const std::string& host, int port);

/// The port a socket is bound to.
int port_of(const Fd& listener);

/// The next connection that waits, not blocking, and the client's address; no descriptor where none waits or the
/// system refuses (errno says which).
Fd accept_from(const Fd& listener, std::string& peer);

}  // namespace hasa
