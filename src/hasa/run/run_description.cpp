#include "hasa/run/run_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/hash.h"
#include "hasa/base/version.h"

namespace hasa {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kChecksum = "checksum";
constexpr std::size_t kHashesKept =
    4;  // hashes kept per file: this many consecutive kills may fall between hash and rename

/// A value of any type, for a message.
std::string words(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string to_hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::uint64_t from_hex(const Json& text) { return std::stoull(text.get<std::string>(), nullptr, 16); }

std::string checksum_of(const Json& description) {
  const std::string text = description.dump();
  return to_hex(hash_bytes(text.data(), text.size()));
}

/// Flipped bits are detected before any value is used, including the format.
void check(Json& json, const std::filesystem::path& run) {
  const bool has_checksum = json.contains(kChecksum);
  if (has_checksum) {
    const Json checksum = json.at(kChecksum);
    json.erase(kChecksum);
    HASA_CHECK(checksum == checksum_of(json), data,
               "{} is damaged: its checksum does not match\nrestore it from a backup, or train again from config.yaml",
               (run / RunDescription::kFile).string());
  }
  const Json& format = json.at("format");
  HASA_CHECK(format == RunDescription::kFormat || format == RunDescription::kFormatWithoutHashes, data,
             "{} was written by hasa {} in format {}, this is hasa {} with format {}\nopen it with that version, or "
             "train again from its config.yaml",
             run.string(), words(json.value("hasa", Json("?"))), words(format), version(), RunDescription::kFormat);
  const bool complete = has_checksum && json.contains("files");
  const bool without = !has_checksum && !json.contains("files");
  if (format == RunDescription::kFormat ? !complete : !without) throw std::runtime_error("its checksum is missing");
}

}  // namespace

RunDescription RunDescription::read(const std::filesystem::path& run) {
  const std::filesystem::path file = run / kFile;
  try {
    Json json = Json::parse(read_file(file));
    check(json, run);
    RunDescription result;
    result.format = json.at("format").get<int>();
    result.hasa = json.value("hasa", "?");
    result.commit = json.value("commit", "?");
    result.graph_hash = from_hex(json.at("graph_hash"));
    std::ranges::transform(json.value("earlier_graphs", Json::array()), std::back_inserter(result.earlier_graphs),
                           from_hex);
    const Json files = json.value("files", Json::object());  // items() refers to it
    for (const auto& [name, hashes] : files.items()) {
      std::ranges::transform(hashes, std::back_inserter(result.files[name]), from_hex);
    }
    return result;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& problem) {
    fail(ErrorKind::data, "{} is damaged: {}\nrestore it from a backup, or train again from config.yaml", file.string(),
         problem.what());
  }
}

void RunDescription::write(const std::filesystem::path& run) const {
  Json json{{"format", kFormat},
            {"hasa", hasa},
            {"commit", commit},
            {"graph_hash", to_hex(graph_hash)},
            {"files", Json::object()}};
  for (const std::uint64_t hash : earlier_graphs) json["earlier_graphs"].push_back(to_hex(hash));
  for (const auto& [name, hashes] : files) {
    for (const std::uint64_t hash : hashes) json["files"][name].push_back(to_hex(hash));
  }
  json[kChecksum] = checksum_of(json);
  write_file(run / kFile, json.dump(2) + "\n");
}

bool RunDescription::allows(const std::string& name, std::uint64_t hash) const {
  const auto found = files.find(name);
  return found == files.end() || std::ranges::find(found->second, hash) != found->second.end();
}

void RunDescription::expect(const std::string& name, std::uint64_t hash) {
  std::vector<std::uint64_t>& hashes = files[name];
  if (!hashes.empty() && hashes.front() == hash) return;
  hashes.insert(hashes.begin(), hash);
  if (hashes.size() > kHashesKept) hashes.pop_back();
}

}  // namespace hasa
