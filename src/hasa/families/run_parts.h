#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hasa/model/scorer.h"
#include "hasa/run/run.h"
#include "hasa/train/train_context.h"

namespace hasa {

// Code shared by families made of other runs: their parts are run folders, or config files to train first.

/// An opened part of a run.
struct RunPart {
  std::string name;
  std::unique_ptr<Scorer> scorer;
};

/// A part as recorded by the run made of it.
struct PartRecord {
  std::string name;
  std::string folder;  // relative to the run's folder if below it, otherwise absolute
  std::string sha256;  // of its best model

  bool operator==(const PartRecord&) const = default;
};

/// The name of an entry of the config: that of its folder, or of its config file without the extension.
std::string name_of_part(const std::string& entry);

/// Throws config for an entry that is neither a run folder nor a config file. `option` contains it.
void check_part(const std::string& entry, const char* option);
/// The same for each entry of model.parts, and if there are none, or two with one name.
void check_parts(const std::vector<std::string>& entries);

/// The runs of `entries`, in order: run folders as they are,
/// config files trained into RUN/parts/NAME. Empty if interrupted by a signal.
std::vector<PartRecord> prepare_parts(const std::vector<std::string>& entries, const Run& run, const RunTrainer& train);

std::string to_json(const std::vector<PartRecord>& parts);
/// Throws data if the text is damaged; `source` is named in the message.
std::vector<PartRecord> parts_in(const std::string& json, const std::string& source);

/// Opens the parts. Throws data if one is missing or has another model than before.
std::vector<RunPart> open_parts(const std::vector<PartRecord>& parts, const Run& run, const RunOpener& open);

/// Where a part lies.
std::filesystem::path folder_of(const PartRecord& part, const Run& run);

}  // namespace hasa
