#pragma once

#include <filesystem>
#include <optional>

#include "hasa/kg/graph.h"
#include "hasa/kg/import_options.h"

namespace hasa {

/// Folders of other systems, whose triples are numbers and whose ids stand in files of their own:
///
///   OpenKE   entity2id.txt, relation2id.txt (a count, then name and number), train2id.txt, valid2id.txt, test2id.txt
///            (a count, then head, tail, relation)
///   LibKGE   entity_ids.del, relation_ids.del (number, id), train.del, valid.del, test.del (head, relation, tail);
///            entity_strings.del and relation_strings.del, where they are there, are names
///   PyKEEN   training, validation and testing, each with numeric_triples.tsv.gz, entity_to_id.tsv.gz and
///            relation_to_id.tsv.gz
///
/// entities.tsv and relations.tsv beside them are texts, as in a benchmark folder. Numbers stay as they are.
enum class NumberedLayout { openke, libkge, pykeen };

/// Which of them the folder is, if any.
std::optional<NumberedLayout> numbered_layout(const std::filesystem::path& folder);

Graph read_numbered_folder(const std::filesystem::path& folder, NumberedLayout layout,
                           const ImportOptions& options = {});

const char* to_string(NumberedLayout layout);

}  // namespace hasa
