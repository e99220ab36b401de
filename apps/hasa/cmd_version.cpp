#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <string>

#include "commands.h"
#include "hasa/base/cpu_features.h"
#include "hasa/base/version.h"
#include "hasa/ops/core/device.h"
#include "hasa/text/unicode.h"
#include "output.h"

namespace hasa {

std::string version_words() {
  return fmt::format("hasa {} ({})\nLibTorch {}, {}\nCPU: {}; {} thread{}\n{}\n", version(), commit(), TORCH_VERSION,
                     cuda_is_available() ? "on " + device_name(parse_device("auto")) : "on the CPU", describe_cpu(),
                     at::get_num_threads(), at::get_num_threads() == 1 ? "" : "s", unicode::versions());
}

void add_version(CLI::App& program) {
  program.add_subcommand("version", "show what this program was built from")->callback([] { print(version_words()); });
}

}  // namespace hasa
