#pragma once

#include <cstdint>
#include <string>

namespace hasa {

/// ".597", as the literature prints shares.
std::string format_share(double value);
/// "12,345"
std::string format_whole(std::int64_t value);
/// As few digits as tell it from its neighbours on an axis or in a table: "0.05", "1.5", "20k", "3M".
std::string format_short(double value);
/// Of a power of two, in four characters at most below 2^40, for the labels of doubling buckets: "512", "1k", "256k",
/// "1M".
std::string format_power_of_two(std::uint64_t value);

}  // namespace hasa
