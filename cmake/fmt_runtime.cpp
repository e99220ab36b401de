// fmt's functions that are not templates, compiled once. The distributions ship fmt as a shared library, which
// the program must not need, or as headers alone, which cost every file two seconds of compiling (five with
// sanitizers). Here the headers define everything, and all other files only see declarations. What is used
// below is kept because nothing is inlined, and with g++ -fkeep-inline-functions keeps the rest.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace hasa::detail {

const void* keep_fmt(fmt::memory_buffer& out, fmt::string_view text, fmt::format_args arguments);

const void* keep_fmt(fmt::memory_buffer& out, fmt::string_view text, fmt::format_args arguments) {
  fmt::vformat_to(std::back_inserter(out), text, arguments);
  fmt::format_to(std::back_inserter(out), "{} {:L} {:.3e} {:.3f} {}", fmt::vformat(text, arguments), 1, 1.0, 1.0F,
                 1.0L);
  fmt::vprint(stderr, text, arguments);
  fmt::vprint(text, arguments);
  if (text.size() == 0) throw fmt::format_error("");
  return reinterpret_cast<const void*>(&fmt::detail::assert_fail);
}

}  // namespace hasa::detail
