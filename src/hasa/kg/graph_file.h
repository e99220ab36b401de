#pragma once

#include <filesystem>

#include "hasa/base/archive.h"

namespace hasa {

/// The graph.bin of a folder that `hasa import` wrote; throws data, with what to do, when there is none.
std::filesystem::path find_graph_file(const std::filesystem::path& folder);

/// Throws data where the folder cannot become a graph: something of the user's is there.
void check_graph_place(const std::filesystem::path& folder);

/// Writes the folder, whole or not at all, and removes what killed processes left of writing it. An existing graph is
/// replaced with all its *.bin files; a file, or a folder that holds anything else, is refused with an error of kind
/// data. The embeddings of texts that are cached in `embeddings_of`, where that is not empty, come along.
void save_graph_folder(const ArchiveWriter& writer, const std::filesystem::path& folder,
                       const std::filesystem::path& embeddings_of = {});

}  // namespace hasa
