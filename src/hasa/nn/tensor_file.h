#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "hasa/nn/named_tensor.h"
#include "hasa/nn/safetensors.h"

namespace hasa {

/// Tensors and words kept in one safetensors file.
struct TensorFile {
  std::filesystem::path path;
  std::map<std::string, torch::Tensor> tensors;  // on the CPU, their own memory
  std::map<std::string, std::string> metadata;

  /// Throw data, naming file and entry, when it is not there.
  const torch::Tensor& at(const std::string& name) const;
  const std::string& metadata_at(const std::string& name) const;
};

/// The file is written atomically. Holds floating-point, int64 and uint8 tensors of any device.
void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const std::map<std::string, std::string>& metadata);
/// Reads the tensors whose names begin with `prefix`.
TensorFile load_tensors(const std::filesystem::path& path, const std::string& prefix = "");
/// The same for weights and vectors: throws data, naming file and tensor, when a value is not a finite number.
TensorFile load_weights(const std::filesystem::path& path, const std::string& prefix = "");

/// The type that a tensor has in a file. Throws shape for types that are not stored.
ElementType element_type_of(const torch::Tensor& tensor);
/// The values of a contiguous tensor on the CPU, as they lie in a file.
std::span<const std::byte> bytes_of(const torch::Tensor& tensor);
/// Rows first .. of a stored tensor, as many as the target has. Throws data, naming the file and the tensor, where it
/// is not one of `rows` such rows.
void copy_rows_into(const NamedTensor& target, const SafeTensors& file, std::int64_t first, std::int64_t rows);

/// Of the names, shapes and values of all tensors, in hexadecimal: what a file can keep in its metadata.
std::string checksum_of(const NamedTensors& tensors);

/// Copies stored values into existing tensors of the same names. Throws data when one is missing or has
/// another shape.
void copy_into(const NamedTensors& targets, const TensorFile& file, const std::string& prefix = "");

/// The same where the stored ones may be of a graph that has grown since: new rows, by the tensors' Rows, keep the
/// values they have. Tensors of Rows::of_steps are left as they are.
void copy_into_grown(const NamedTensors& targets, const TensorFile& file);

}  // namespace hasa
