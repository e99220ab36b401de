#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hasa/eval/bootstrap.h"
#include "hasa/kg/graph.h"
#include "hasa/model/facts.h"

namespace hasa {

/// Facts about the model that only its run knows. Filled when a run is opened.
struct RunFacts {
  ModelFacts model;
  std::string trained_by;                                    // program version and commit
  std::uint64_t seed = 0;                                    // of the training
  std::string trained_on = {};                               // where that was not, or not only, the graph of the ranks
  std::vector<std::pair<std::string, std::string>> weights;  // file and its SHA-256
};

/// How a result was measured and with what; shown with every result.
struct Certificate {
  using Named = std::vector<std::pair<std::string, std::string>>;
  using Value = std::variant<std::string, std::int64_t, double, Named>;
  /// Values are for programs, the summary in words for readers; terminal output is short.
  enum class Shown : std::uint8_t { everywhere, page_and_json, json, words };
  struct Entry {
    std::string key;    // "tie_rule"
    std::string label;  // "ties"
    Value value;
    Shown shown;
  };
  std::vector<Entry> entries;

  /// Throws data if the key is missing.
  const Value& at(const std::string& key) const;
};

/// What the evaluation itself knows.
struct EvaluationFacts {
  Split split = Split::test;
  std::int64_t queries = 0;
  std::int64_t of_queries = 0;    // queries of the split, if fewer are ranked; 0: all are
  std::uint64_t sample_seed = 0;  // of a sample
  Interval hits_at_10;            // of a sample
  std::int64_t kept = 0;          // of the ranks: by earlier calls
  std::string speed;              // of scoring, in words; "" where it is not worth a word
  torch::Device device = torch::kCPU;
  double seconds = 0;
  std::int64_t memory_cap = 0;   // 0: none was given
  std::int64_t peak_memory = 0;  // of the process on the CPU, of device allocations on a GPU
  BootstrapOptions bootstrap;
};

Certificate certify(const RunFacts& run, const Graph& graph, const EvaluationFacts& evaluation);

/// For a terminal.
std::string to_lines(const Certificate& certificate);
std::string to_string(const Certificate::Value& value);

}  // namespace hasa
