#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/base/file.h"

namespace hasa {

/// Element types of a safetensors file that the project reads and writes.
enum class ElementType { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

/// "F32", as the file spells it.
const char* to_string(ElementType type);
std::size_t element_size(ElementType type);

/// A tensor inside a file: little-endian, C order, bytes.size() == product of shape * element_size(type).
/// The bytes may begin at any address: the format promises no alignment.
struct StoredTensor {
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// "[30522, 384]"
std::string format_shape(std::span<const std::int64_t> shape);

/// A safetensors file, mapped. Nothing in it is trusted: the header's length, its JSON (depth, duplicate
/// names, unknown fields), element types, shapes whose product overflows, and offsets that overlap, leave
/// holes or pass the end are all refused with an error of kind data that names the file and the tensor.
class SafeTensors {
 public:
  static SafeTensors open(const std::filesystem::path& path);
  /// The same from memory, which must outlive the result; `origin` stands for the file in messages.
  static SafeTensors parse(std::span<const std::byte> bytes, std::string origin);

  /// Null when there is no such tensor. The view is valid while this object lives, also when it is moved.
  const StoredTensor* find(std::string_view name) const;
  /// Throws data, naming the nearest tensor, when there is no such tensor.
  const StoredTensor& at(std::string_view name) const;

  using Tensors = std::map<std::string, StoredTensor, std::less<>>;
  const Tensors& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::string& origin() const { return origin_; }

 private:
  SafeTensors() = default;
  void read(std::span<const std::byte> bytes);

  MappedFile file_;
  std::string origin_;
  Tensors tensors_;
  std::map<std::string, std::string> metadata_;
};

/// What a file says of a tensor before its values.
struct TensorOutline {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;

  std::uint64_t bytes() const;
};

/// Writes a file that safetensors of Python opens, a part at a time; it appears whole, with commit(), or not at all.
/// Tensors keep their order within an element size; larger elements come first, so that each begins at a multiple of
/// its size. transformers asks for metadata {"format": "pt"}.
class SafeTensorsWriter {
 public:
  SafeTensorsWriter(std::filesystem::path path, std::span<const TensorOutline> tensors,
                    const std::map<std::string, std::string>& metadata);

  /// The next bytes of a tensor, by its place among those given. One tensor may follow another in any order.
  void write(std::size_t tensor, std::span<const std::byte> part);
  /// Changes a metadata value to one of the same length, for what is only known when everything has been written.
  void replace(const std::string& key, const std::string& value);
  /// Every tensor must have got all its bytes.
  void commit();

 private:
  struct Place {
    std::string name;
    std::uint64_t next, end;  // in the file
  };

  AtomicFile file_;
  std::filesystem::path path_;
  std::vector<Place> places_;
  std::map<std::string, std::string> metadata_;
  std::string header_;
  std::uint64_t position_ = 0;
};

struct TensorToWrite {
  std::string name;
  StoredTensor tensor;  // its bytes must live until the call returns
};

/// The same at once.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace hasa
