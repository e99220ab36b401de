#include "hasa/families/run_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/sha256.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
constexpr const char* kParts = "parts";

std::string hash_of_model(const Run& part) {
  HASA_CHECK(part.has_model(), data, "{} has no model yet\ncomplete it with hasa train --resume",
             part.folder().string());
  return sha256_of_file(part / (fs::exists(part / Run::kBest) ? Run::kBest : Run::kBestWords));
}

bool is_config(const std::string& entry) {
  std::error_code ignored;
  return fs::is_regular_file(entry, ignored);
}

}  // namespace

std::string name_of_part(const std::string& entry) {
  fs::path path = fs::path(entry).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return is_config(entry) ? path.stem().string() : path.filename().string();
}

void check_part(const std::string& entry, const char* option) {
  HASA_CHECK(is_config(entry) || Run::is_run(entry), config, "{}: {} is neither a run folder nor a config file", option,
             entry);
}

void check_parts(const std::vector<std::string>& entries) {
  HASA_CHECK(!entries.empty(), config, "model.parts is empty\nname run folders, or config files to train first");
  std::set<std::string> names;
  for (const std::string& entry : entries) {
    check_part(entry, "model.parts");
    HASA_CHECK(names.insert(name_of_part(entry)).second, config,
               "model.parts: two are called {}\nrename one folder or file", name_of_part(entry));
  }
}

std::vector<PartRecord> prepare_parts(const std::vector<std::string>& entries, const Run& run,
                                      const RunTrainer& train) {
  std::vector<PartRecord> parts;
  for (const std::string& entry : entries) {
    PartRecord part{.name = name_of_part(entry), .folder = entry, .sha256 = {}};
    if (is_config(entry)) {
      part.folder = (fs::path(kParts) / part.name).string();
      log_info("part {} of {}: {}", parts.size() + 1, entries.size(), part.name);
      if (!train(entry, folder_of(part, run))) return {};
    }
    part.sha256 = hash_of_model(Run::open(folder_of(part, run)));
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string to_json(const std::vector<PartRecord>& parts) {
  auto json = nlohmann::json::array();
  for (const PartRecord& part : parts)
    json.push_back({{"name", part.name}, {"folder", part.folder}, {"sha256", part.sha256}});
  return json.dump();
}

std::vector<PartRecord> parts_in(const std::string& json, const std::string& source) {
  try {
    std::vector<PartRecord> parts;
    for (const auto& part : nlohmann::json::parse(json))
      parts.push_back({part.at("name"), part.at("folder"), part.at("sha256")});
    return parts;
  } catch (const nlohmann::json::exception& problem) {
    fail(ErrorKind::data, "{} is damaged: its parts cannot be read: {}", source, problem.what());
  }
}

fs::path folder_of(const PartRecord& part, const Run& run) {
  const fs::path folder = part.folder;
  return folder.is_absolute() ? folder : run.folder() / folder;
}

std::vector<RunPart> open_parts(const std::vector<PartRecord>& parts, const Run& run, const RunOpener& open) {
  std::vector<RunPart> opened;
  for (const PartRecord& part : parts) {
    const fs::path folder = folder_of(part, run);
    HASA_CHECK(Run::is_run(folder), data, "{} is made of {}, which is not at {}\nmove it back there, or train it again",
               run.folder().string(), part.name, folder.string());
    HASA_CHECK(hash_of_model(Run::open(folder)) == part.sha256, data,
               "{} was fitted with another model of {} than {} has now\ntrain it again", run.folder().string(),
               part.name, folder.string());
    opened.push_back({part.name, open(folder)});
  }
  return opened;
}

}  // namespace hasa
