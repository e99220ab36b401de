#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hasa {

/// SHA-256 (FIPS 180-4) in hexadecimal, as `sha256sum` prints it: what names a model to others.
std::string sha256(std::string_view bytes);
/// Of a file, read in parts. Throws data when there is none.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace hasa
