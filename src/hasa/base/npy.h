#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace hasa {

/// Writes a NumPy array file, little-endian, C order; atomic. The product of shape is values.size().
void write_npy(const std::filesystem::path& path, std::span<const float> values, std::span<const std::int64_t> shape);
void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> values,
               std::span<const std::int64_t> shape);

}  // namespace hasa
