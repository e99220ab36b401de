#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hasa {

/// run.json:
///
///   format, hasa, commit   of what wrote the run
///   graph_hash             the graph it is trained on
///   earlier_graphs         those that this one grew from and that it was trained on before, oldest first; where there
///                          are any
///   files                  the XXH64 of each file that belongs to the run, and after it those of files it replaced: a
///                          hash is written down before its file takes its place, and a kill may come in between
///   checksum               of all the rest; it stays in every later format
///
/// Format 2 had neither files nor checksum. It is read as it is, and written in this form.
struct RunDescription {
  static constexpr int kFormat = 3;
  static constexpr int kFormatWithoutHashes = 2;
  static constexpr const char* kFile = "run.json";

  int format = kFormat;
  std::string hasa, commit;
  std::uint64_t graph_hash = 0;
  std::vector<std::uint64_t> earlier_graphs = {};
  std::map<std::string, std::vector<std::uint64_t>> files;  // by their path in the run's folder

  /// Throws data if it is damaged or of another format.
  static RunDescription read(const std::filesystem::path& run);
  void write(const std::filesystem::path& run) const;

  /// Whether a file with this hash is valid at `name`; true for files that do not belong to the run.
  bool allows(const std::string& name, std::uint64_t hash) const;
  /// Records that the file at `name` is about to be replaced by one with this hash.
  void expect(const std::string& name, std::uint64_t hash);

  bool operator==(const RunDescription&) const = default;
};

}  // namespace hasa
