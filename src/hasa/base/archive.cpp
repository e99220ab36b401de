#include "hasa/base/archive.h"

#include <algorithm>
#include <cstring>

#include "hasa/base/hash.h"
#include "hasa/base/version.h"

namespace hasa {
namespace {

constexpr char kMagic[] = "HASA-BIN";
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint32_t kMostSections = 4096;

struct Header {
  char magic[8];
  char kind[16];
  std::uint32_t version;
  std::uint32_t sections;
  std::uint64_t file_size;
  char written_by[16];
  std::uint64_t checksum;  // of the header with this field zero, then the table
};
static_assert(sizeof(Header) == 64);

struct Entry {
  char name[24];
  std::uint64_t offset;
  std::uint64_t size;
  std::uint64_t checksum;
};
static_assert(sizeof(Entry) == 48);

std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

template <std::size_t N>
void put(char (&field)[N], std::string_view text) {
  HASA_ASSERT(text.size() < N);
  std::memset(field, 0, N);
  std::memcpy(field, text.data(), text.size());
}

template <std::size_t N>
std::string get(const char (&field)[N]) {
  return std::string(field, ::strnlen(field, N));
}

std::uint64_t checksum_of(Header header, std::span<const Entry> table) {
  header.checksum = 0;
  return hash_bytes(table.data(), table.size_bytes(), hash_bytes(&header, sizeof header));
}

/// A fuzzer cannot guess checksums, so its build goes past them to the checks behind.
bool same_checksum([[maybe_unused]] std::uint64_t a, [[maybe_unused]] std::uint64_t b) {
#ifdef HASA_FUZZING
  return true;
#else
  return a == b;
#endif
}

}  // namespace

void ArchiveWriter::save(const std::filesystem::path& path) const {
  std::vector<Entry> table(sections_.size());
  std::uint64_t offset = aligned(sizeof(Header) + table.size() * sizeof(Entry));
  for (std::size_t i = 0; i < table.size(); ++i) {
    put(table[i].name, sections_[i].name);
    table[i].offset = offset;
    table[i].size = sections_[i].bytes.size();
    table[i].checksum = hash_bytes(sections_[i].bytes.data(), table[i].size);
    offset = aligned(offset + table[i].size);
  }
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof header.magic);
  put(header.kind, kind_);
  header.version = version_;
  header.sections = static_cast<std::uint32_t>(table.size());
  header.file_size = table.empty() ? offset : table.back().offset + table.back().size;
  put(header.written_by, std::string_view(hasa::version()).substr(0, sizeof header.written_by - 1));
  header.checksum = checksum_of(header, table);

  AtomicFile file(path);
  file.write(&header, sizeof header);
  file.write(table.data(), table.size() * sizeof(Entry));
  std::uint64_t written = sizeof header + table.size() * sizeof(Entry);
  const char zeros[kAlignment] = {};
  for (std::size_t i = 0; i < table.size(); ++i) {
    file.write(zeros, table[i].offset - written);
    file.write(sections_[i].bytes.data(), sections_[i].bytes.size());
    written = table[i].offset + table[i].size;
  }
  if (table.empty()) file.write(zeros, offset - written);
  file.commit();
}

Archive::Archive(const std::filesystem::path& path, std::string_view kind, std::uint32_t version)
    : path_(path), file_(path) {
  read(file_.bytes(), kind, version);
}

Archive::Archive(std::vector<std::byte> bytes, const std::string& name, std::string_view kind, std::uint32_t version)
    : path_(name), owned_(std::move(bytes)) {
  read(owned_, kind, version);
}

void Archive::read(std::span<const std::byte> bytes, std::string_view kind, std::uint32_t version) {
  const std::string name = path_.string();
  Header header;
  HASA_CHECK(bytes.size() >= sizeof header && std::memcmp(bytes.data(), kMagic, sizeof header.magic) == 0, data,
             "{} is not a file written by hasa, or its beginning is lost", name);
  std::memcpy(&header, bytes.data(), sizeof header);
  written_by_ = get(header.written_by);
  HASA_CHECK(get(header.kind) == kind, data, "{} holds \"{}\", expected \"{}\"", name, get(header.kind), kind);
  HASA_CHECK(header.version == version, data,
             "{} was written by hasa {} in format {}, this is hasa {} with format {}\nwrite it again with this version",
             name, written_by_, header.version, hasa::version(), version);
  HASA_CHECK(header.sections <= kMostSections && sizeof header + header.sections * sizeof(Entry) <= bytes.size() &&
                 header.file_size == bytes.size(),
             data, "{} is cut off: {} bytes of {}\nwrite it again", name, bytes.size(), header.file_size);
  std::vector<Entry> table(header.sections);
  if (!table.empty()) std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(Entry));
  HASA_CHECK(same_checksum(header.checksum, checksum_of(header, table)), data,
             "{} is damaged: its table of contents has another checksum\nwrite it again", name);
  for (const Entry& entry : table) {
    HASA_CHECK(
        entry.offset % kAlignment == 0 && entry.offset <= bytes.size() && entry.size <= bytes.size() - entry.offset,
        data, "{} is damaged: section {} lies outside the file\nwrite it again", name, get(entry.name));
    const auto section = bytes.subspan(entry.offset, entry.size);
    HASA_CHECK(same_checksum(entry.checksum, hash_bytes(section.data(), section.size())), data,
               "{} is damaged: section {} has another checksum\nwrite it again", name, get(entry.name));
    sections_.push_back({get(entry.name), section});
  }
}

bool Archive::has(std::string_view name) const {
  return std::any_of(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
}

std::span<const std::byte> Archive::section_bytes(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
  HASA_CHECK(found != sections_.end(), data, "{} has no section {}\nwrite it again", path_.string(), name);
  return found->bytes;
}

}  // namespace hasa
