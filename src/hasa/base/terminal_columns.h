#pragma once

#include <cstddef>
#include <optional>

namespace hasa {

/// How wide the terminal behind a file descriptor is at the moment; none if it is no terminal or does not say.
std::optional<std::size_t> terminal_columns(int fd);

}  // namespace hasa
