#pragma once

#include <filesystem>

namespace hasa {

/// Throws an error for errno: "cannot ACTION PATH: No such file or
/// directory". Kind data if the path is wrong, io if the system refused.
[[noreturn]] void fail_system(const char* action, const std::filesystem::path& path);

}  // namespace hasa
