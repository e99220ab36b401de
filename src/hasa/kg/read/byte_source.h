#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hasa {

/// The bytes of a file, of standard input ("-") or of memory, from beginning to end, unpacked on the way where they
/// are gzip or zstd (recognised by their first bytes, never by the name). Holds one buffer, whatever the file's size.
class ByteSource {
 public:
  /// Throws data when there is no such file or it is a folder.
  static ByteSource open(const std::string& path);
  /// The text must outlive the source.
  static ByteSource of_memory(std::string name, std::string_view text);

  ByteSource(ByteSource&&) noexcept;
  ~ByteSource();

  /// Up to `size` bytes, fewer only at the end. Throws data where packed bytes are damaged or cut short.
  std::size_t read(char* into, std::size_t size);
  /// The first bytes, unpacked and still to be read: as many lines as it takes to recognise a format. Before any
  /// read().
  std::string_view beginning();
  std::string read_all();

  /// What messages call it: the path, or "standard input".
  const std::string& name() const;
  /// As they lie on disk, packed or not; for progress. The size is 0 where it is unknown.
  std::uint64_t bytes_taken() const;
  std::uint64_t bytes_on_disk() const;

 private:
  struct State;
  explicit ByteSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// "graph.nt" of "graph.nt.gz": the name without the ending of a packer.
std::string_view unpacked_name(std::string_view name);

}  // namespace hasa
