#include <fmt/format.h>
#include <torch/version.h>

#include "commands.h"
#include "hasa/base/version.h"
#include "hasa/ops/device.h"
#include "hasa/text/unicode.h"
#include "output.h"

namespace hasa {

void add_version(CLI::App& program) {
  program.add_subcommand("version", "what this program was built from")->callback([] {
    print(fmt::format("hasa {} ({})\nLibTorch {}, {}\n{}\n", version(), commit(), TORCH_VERSION,
                      cuda_is_available() ? "on " + device_name(parse_device("auto")) : "on the CPU",
                      unicode::versions()));
  });
}

}  // namespace hasa
