#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hasa/job/run_config.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// The timing of training steps, measured on the training device.
struct StepTiming {
  struct Part {
    std::string name;
    double milliseconds = 0;  // of the device, a step
    double calls = 0;         // a step
  };

  std::int64_t steps_before = 0;  // of training, before the first that is measured
  std::int64_t steps = 0;
  double seconds = 0;  // a step by the wall clock
  double triples_per_second = 0;
  double tokens_per_second = 0;
  double tokens = 0;                 // a step
  double share_of_peak = 0;          // 0 if the chip's peak is unknown
  double products_milliseconds = 0;  // the step's matrix products of the encoder, alone and back to back; 0 on a CPU
  double device_milliseconds = 0;    // all kernels of a step together; 0 on a CPU
  std::int64_t peak_bytes = 0;       // of device memory
  std::vector<Part> parts;           // the kernels by kind, longest first; none on a CPU
  std::vector<Part> kernels;         // the twenty that take longest

  std::string to_table() const;
  nlohmann::ordered_json to_json() const;
};

/// Takes `steps` steps of the config's training after some to warm up, by the wall clock. With `profile`, on a GPU, as
/// many again under the profiler, for device_milliseconds, parts and kernels.
///
/// With mined negatives the warm-up is training until these have settled. Untrained weights mine the same few negatives
/// for all triples, whose texts are encoded once for all of them: steps of a trained model read more tokens and take
/// longer.
StepTiming time_steps(const RunConfig& config, const Graph& graph, std::int64_t steps, bool profile);

}  // namespace hasa
