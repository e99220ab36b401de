#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/kg/read/delimited.h"

namespace hasa {

/// What the user says about a file of separated fields; the rest is detected.
struct DelimitedWishes {
  std::optional<char> separator;
  std::optional<bool> quotes;
  std::optional<bool> header;
  std::string columns;  ///< of head, relation and tail, and the time: "1,2,3" or names of the header; "": detected
};

struct Sniffed {
  Delimited as;
  std::vector<std::string> said;     ///< what was detected that is unusual, for the user to know
  std::vector<std::string> warning;  ///< what looks wrong
};

/// Detects by the first lines of a file; the name's ending counts unless they contradict it.
Sniffed sniff_delimited(const std::string& name, std::string_view beginning, const DelimitedWishes& wishes);

/// The separator and quotes of a file whose records have at least so many fields.
RecordFormat sniff_format(const std::string& name, std::string_view beginning, std::size_t least_fields,
                          const DelimitedWishes& wishes);

}  // namespace hasa
