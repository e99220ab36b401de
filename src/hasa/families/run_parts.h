#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hasa/model/scorer.h"
#include "hasa/run/run.h"
#include "hasa/train/train_context.h"

namespace hasa {

// What families that are made of other runs do alike: their parts are folders of runs, or config files to train first.

/// A run that another one is made of, opened.
struct RunPart {
  std::string name;
  std::unique_ptr<Scorer> scorer;
};

/// A part as the run that is made of it remembers it.
struct PartRecord {
  std::string name;
  std::string folder;  // from the run's own folder where it lies below it, else absolute
  std::string sha256;  // of its best model

  bool operator==(const PartRecord&) const = default;
};

/// What an entry of the config is called: the name of its folder, or of its config file without the ending.
std::string name_of_part(const std::string& entry);

/// Throws config for an entry that is neither a run folder nor a config file. `option` holds it.
void check_part(const std::string& entry, const char* option);
/// The same for each entry of model.parts, and where there are none, or two of one name.
void check_parts(const std::vector<std::string>& entries);

/// The runs of `entries`, in their order: folders of runs as they are, config files trained into RUN/parts/NAME. Empty
/// when a signal stopped one.
std::vector<PartRecord> prepare_parts(const std::vector<std::string>& entries, const Run& run, const RunTrainer& train);

std::string to_json(const std::vector<PartRecord>& parts);
/// Throws data when the words are damaged; `source` is named in the message.
std::vector<PartRecord> parts_in(const std::string& json, const std::string& source);

/// Opens the parts. Throws data when one is gone or holds another model than it did.
std::vector<RunPart> open_parts(const std::vector<PartRecord>& parts, const Run& run, const RunOpener& open);

/// Where a part lies.
std::filesystem::path folder_of(const PartRecord& part, const Run& run);

}  // namespace hasa
