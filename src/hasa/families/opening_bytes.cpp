#include "hasa/families/opening_bytes.h"

#include <filesystem>

namespace hasa {

std::int64_t bytes_of_vectors(const Run& run, const Graph& graph, std::int64_t dim) {
  std::int64_t files = 0;
  for (const char* name : {Run::kTexts, Run::kBest}) {
    std::error_code ignored;
    if (std::filesystem::exists(run / name, ignored))
      files += static_cast<std::int64_t>(std::filesystem::file_size(run / name));
  }
  return 2 * files + 6 * std::int64_t{graph.entities()} * dim * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace hasa
