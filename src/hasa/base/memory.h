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

/// Current and peak resident memory of this process, including code and mapped files.
std::int64_t resident_bytes();
std::int64_t peak_resident_bytes();

/// Memory allocated and not freed yet, as malloc counts it; 0 where the C library does not tell. Resident memory that
/// grows while this does not is free memory in pieces that cannot be returned.
std::int64_t allocated_bytes();

/// The memory of this machine, or the container's limit.
std::int64_t machine_bytes();

}  // namespace hasa
