#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hasa {

/// SHA-256 (FIPS 180-4) in hexadecimal, as `sha256sum` prints it: identifies a model to others.
std::string sha256(std::string_view bytes);
/// Hash of a file, read in blocks. Throws data if there is none.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace hasa
