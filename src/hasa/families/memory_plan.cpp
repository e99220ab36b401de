#include "hasa/families/memory_plan.h"

#include <algorithm>

#include "hasa/base/error.h"
#include "hasa/base/memory.h"

namespace hasa {
namespace {

constexpr double kShareToPlanWith = 0.85;                    // the rest is lost between blocks of the allocator
constexpr std::int64_t kForRanking = std::int64_t{1} << 30;  // scores of a block of queries, and what is made of them
constexpr std::int64_t kTokensReadAtOnce = 32768;            // in evaluation

std::int64_t layer_parameters(const EncoderConfig& c) {
  return 4 * c.hidden * c.hidden + 2 * c.hidden * c.intermediate + 9 * c.hidden + c.intermediate;
}
std::int64_t other_parameters(const EncoderConfig& c) {
  return (c.vocabulary + c.positions + 4) * c.hidden + c.hidden * c.hidden;
}

}  // namespace

std::int64_t tokens_within(std::int64_t bytes, const MemoryPlan& plan, const TextInputs& inputs) {
  const EncoderConfig& config = plan.encoder;
  const bool whole = plan.trained_layers >= config.layers;
  const std::int64_t all = config.layers * layer_parameters(config) + other_parameters(config);
  const std::int64_t trained = plan.trained_layers * layer_parameters(config) + (whole ? other_parameters(config) : 0);
  // For each weight itself and a working copy; for a trained one its gradients, one in float32, and two moments.
  const std::int64_t weights =
      plan.encoders * (all * (4 + plan.element_bytes) + trained * (3 * 4 + plan.element_bytes));
  // A layer keeps qkv, the mixed values, two sums and two normed rows, and the wide row twice.
  const std::int64_t kept = plan.trained_layers * (7 * config.hidden + 2 * config.intermediate) * plan.element_bytes;
  const std::int64_t passing = (8 * config.hidden + 3 * config.intermediate) * plan.element_bytes;  // while one works
  const auto entities = static_cast<std::int64_t>(inputs.entities());
  const std::int64_t fixed =
      weights + 2 * entities * config.hidden * 4 + std::max(kForRanking, kTokensReadAtOnce * passing);
  const auto usable = static_cast<std::int64_t>(kShareToPlanWith * static_cast<double>(bytes)) - fixed;
  const std::int64_t tokens = usable / (kept + passing);
  const auto longest = static_cast<std::int64_t>(inputs.longest_text());
  HASA_CHECK(tokens >= longest, unavailable,
             "memory_limit is {}, but fine-tuning this language model takes at least {}\nraise it, fine-tune only its "
             "last layers (model.tuned_layers), or freeze it (model.type=frozen)",
             format_bytes(bytes),
             format_bytes(static_cast<std::int64_t>(static_cast<double>(fixed + longest * (kept + passing)) /
                                                    kShareToPlanWith)));
  return tokens;
}

}  // namespace hasa
