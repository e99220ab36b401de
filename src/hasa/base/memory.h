#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hasa {

/// A size as a user writes it: "2G", "512M", "1.5G", "4096K" or bytes; units are powers of 1024, and a B or iB
/// behind them changes nothing. Throws config, naming the option.
std::int64_t parse_bytes(std::string_view text, std::string_view option);
/// "1.5 GiB"
std::string format_bytes(std::int64_t bytes);

/// What this process holds in memory now, and the most it ever held: code, mapped files and its own data alike.
std::int64_t resident_bytes();
std::int64_t peak_resident_bytes();

/// All the memory of this machine, or what its container is allowed.
std::int64_t machine_bytes();

}  // namespace hasa
