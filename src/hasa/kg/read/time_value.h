#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hasa {

enum class TimeForm : std::uint8_t {
  number,  ///< a whole number: a year, a step, seconds
  date,    ///< YYYY, YYYY-MM, YYYY-MM-DD, or with a time of day: 2014-05-01T12:30:00Z
};

/// A number that rises with time; none where the text is no such time. Dates become seconds since 1970.
std::optional<std::int64_t> time_in(std::string_view text, TimeForm form);

}  // namespace hasa
