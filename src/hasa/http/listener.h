#pragma once

#include <string>

#include "hasa/http/fd.h"

namespace hasa {

/// A listening socket. `host` is a name or an address; port 0 lets the system choose. Throws config if the host is
/// unknown, unavailable if the port is in use or not permitted.
Fd listen_on(const std::string& host, int port);

/// The port a socket is bound to.
int port_of(const Fd& listener);

/// The next waiting connection (non-blocking) and the client's address; no descriptor if none is waiting or the system
/// refuses (errno says which).
Fd accept_from(const Fd& listener, std::string& peer);

}  // namespace hasa
