#pragma once

#include <filesystem>

namespace hasa {

/// Throws what errno says: "cannot ACTION PATH: No such file or directory". Of kind data where the path is what is
/// wrong, io where the system refused.
[[noreturn]] void fail_system(const char* action, const std::filesystem::path& path);

}  // namespace hasa
