#include "hasa/job/step_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/stopwatch.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/core/kernel_trace.h"

namespace hasa {
namespace {

constexpr std::int64_t kWarmUp = 8;
constexpr double kSettled = 0.01;  // change of the tokens per step from one mining to the next
constexpr int kMostMinings = 50;
constexpr std::size_t kKernelsShown = 20;

/// What a kernel is for, by words of its name.
std::string kind_of(const std::string& name) {
  static const std::vector<std::pair<const char*, const char*>> kinds = {
      {"QkvShape", "attention"},
      {"flash", "attention"},  // before cutlass, which they are made of
      {"fmha", "attention"},
      {"SampledPass", "sampled loss"},
      {"RowUpdate", "rows of tables"},
      {"AllEntities", "loss"},
      {"BiasGelu", "GELU"},
      {"NormForward", "layer norm"},
      {"NormBackward", "layer norm"},
      {"Embed", "embedding"},
      {"gemm", "matrix products"},
      {"cutlass", "matrix products"},
      {"nvjet", "matrix products"},
      {"xmma", "matrix products"},
      {"layer_norm", "layer norm"},
      {"LayerNorm", "layer norm"},
      {"norm_", "layer norm"},
      {"gelu", "GELU"},
      {"adam", "optimiser"},
      {"multi_tensor", "optimiser"},
      {"embed", "embedding"},
      {"table", "embedding"},
      {"Sort", "sorting"},
      {"sort", "sorting"},
      {"Memcpy", "copies"},
      {"Memset", "copies"},
      {"reduce", "sums"},
      {"CatArray", "concatenation"},
      {"elementwise", "elementwise"},
  };
  for (const auto& [word, kind] : kinds) {
    if (name.find(word) != std::string::npos) return kind;
  }
  return "others";
}

/// One step of training after the other, as the trainer takes them.
class Stepper {
 public:
  Stepper(const RunConfig& config, const TrainContext& context) : learner_(make_learner(config, context)) {}

  /// While measuring, learning rates are tiny, so that weights stay as they are.
  StepReport step(double factor = 1e-3) {
    StepReport report = learner_->step(number_++, factor);
    gradient_norm_ = report.gradient_norm;
    return report;
  }
  /// Steps of training; the mean of their tokens.
  double train(std::int64_t steps) {
    double tokens = 0;
    for (std::int64_t i = 0; i < steps; ++i) tokens += static_cast<double>(step(/*factor=*/1).tokens);
    return tokens / static_cast<double>(steps);
  }
  void wait() const { wait_for(gradient_norm_); }
  std::int64_t taken() const { return number_; }

 private:
  std::unique_ptr<Learner> learner_;
  torch::Tensor gradient_norm_;
  std::int64_t number_ = 0;
};

void warm_up(Stepper& stepper, const RunConfig& config) {
  const auto* text = std::get_if<TextFamily>(&config.family);
  if (text == nullptr || text->negatives.hard == 0) {
    for (std::int64_t i = 0; i < kWarmUp; ++i) stepper.step();
    return;
  }
  double before = 0;
  for (int mining = 0; mining < kMostMinings; ++mining) {
    const double tokens = stepper.train(text->negatives.refresh_steps);
    if (std::abs(tokens - before) <= kSettled * tokens) return;
    before = tokens;
  }
  log_warning("mined negatives still change after {} training steps; later steps may take longer", stepper.taken());
}

/// The encoder's products of a step, forward and backward, in bfloat16.
double products_alone(const RunConfig& config, double tokens, const torch::Device& device) {
  const auto* text = std::get_if<TextFamily>(&config.family);
  if (text == nullptr || device.is_cpu()) return 0;
  const EncoderConfig shape = LanguageModel::open(text->language_model.path).config;
  const auto options = torch::TensorOptions(torch::kBFloat16).device(device);
  const auto rows = static_cast<std::int64_t>(tokens);
  struct Product {
    torch::Tensor x, weight, grad;
  };
  std::vector<Product> products;
  for (const auto& [out, in] : {std::pair{3 * shape.hidden, shape.hidden},
                                {shape.hidden, shape.hidden},
                                {shape.intermediate, shape.hidden},
                                {shape.hidden, shape.intermediate}}) {
    products.push_back(
        {torch::randn({rows, in}, options), torch::randn({out, in}, options), torch::randn({rows, out}, options)});
  }
  const auto all = [&] {
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      for (const Product& p : products) (void)torch::mm(p.x, p.weight.t());
      for (const Product& p : products) {
        (void)torch::mm(p.grad, p.weight);
        (void)torch::mm(p.grad.t(), p.x);
      }
    }
  };
  constexpr int kTimes = 5;
  all();
  wait_for(products[0].x);
  const Stopwatch watch;
  for (int i = 0; i < kTimes; ++i) all();
  wait_for(products[0].x);
  return watch.seconds() / kTimes * 1e3;
}

std::vector<StepTiming::Part> longest_first(const std::map<std::string, StepTiming::Part>& parts) {
  std::vector<StepTiming::Part> list;
  list.reserve(parts.size());
  for (const auto& [name, part] : parts) list.push_back(part);
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.milliseconds > b.milliseconds; });
  return list;
}

void add_profile(StepTiming& timing, Stepper& stepper) {
  const KernelTrace trace;
  for (std::int64_t i = 0; i < timing.steps; ++i) stepper.step();
  stepper.wait();
  const double steps = static_cast<double>(timing.steps);
  std::map<std::string, StepTiming::Part> kinds;
  for (const KernelTrace::Kernel& kernel : trace.kernels()) {
    StepTiming::Part& kind = kinds[kind_of(kernel.name)];
    kind.name = kind_of(kernel.name);
    kind.milliseconds += kernel.milliseconds / steps;
    kind.calls += static_cast<double>(kernel.calls) / steps;
    timing.device_milliseconds += kernel.milliseconds / steps;
    if (timing.kernels.size() < kKernelsShown) {
      timing.kernels.push_back({kernel.name, kernel.milliseconds / steps, static_cast<double>(kernel.calls) / steps});
    }
  }
  timing.parts = longest_first(kinds);
}

}  // namespace

StepTiming time_steps(const RunConfig& config, const Graph& graph, std::int64_t steps, bool profile) {
  const torch::Device device = parse_device(config.device);
  const ScheduleConfig* schedule = schedule_of(config);
  HASA_CHECK(schedule != nullptr, config, "a model that is fitted in one pass has no steps to time");
  Stepper stepper(config, {.graph = graph, .graph_folder = config.graph, .device = device, .seed = config.seed});
  warm_up(stepper, config);
  stepper.wait();
  StepTiming timing;
  timing.steps_before = stepper.taken();
  timing.steps = steps;
  double tokens = 0, flops = 0;
  const Stopwatch watch;
  for (std::int64_t i = 0; i < steps; ++i) {
    const StepReport report = stepper.step();
    tokens += static_cast<double>(report.tokens);
    flops += report.flops;
  }
  stepper.wait();
  const double seconds = watch.seconds();
  timing.seconds = seconds / static_cast<double>(steps);
  timing.tokens = tokens / static_cast<double>(steps);
  timing.triples_per_second = static_cast<double>(schedule->batch) / timing.seconds;
  timing.tokens_per_second = tokens / seconds;
  if (const auto peak = matrix_peak(device)) timing.share_of_peak = flops / seconds / *peak;
  timing.peak_bytes = peak_tensor_bytes(device);
  if (profile && device.is_cuda()) {
    try {
      add_profile(timing, stepper);
    } catch (const Error& error) {
      log_warning("no profile: {}", error.what());
    }
  }
  timing.products_milliseconds = products_alone(config, timing.tokens, device);
  return timing;
}

std::string StepTiming::to_table() const {
  std::string text = fmt::format(
      "step              {:>10.2f} ms by the wall clock, mean of {} after {} of training\n"
      "triples           {:>10.0f} per second\n",
      seconds * 1e3, steps, steps_before, triples_per_second);
  if (tokens > 0) {
    text += fmt::format("tokens            {:>10.0f} per second, {:.0f} per step\n", tokens_per_second, tokens);
  }
  if (share_of_peak > 0)
    text += fmt::format("fraction of peak  {:>10.3f} of the chip's matrix throughput\n", share_of_peak);
  if (products_milliseconds > 0) {
    text += fmt::format("matrix products   {:>10.2f} ms by themselves; the step takes {:.2f} times that\n",
                        products_milliseconds, seconds * 1e3 / products_milliseconds);
  }
  if (peak_bytes > 0)
    text += fmt::format("peak memory       {:>10.2f} GiB on the device\n", static_cast<double>(peak_bytes) / (1 << 30));
  if (parts.empty()) return text;
  text += fmt::format("\nkernels           {:>10.2f} ms per step\n", device_milliseconds);
  for (const Part& part : parts) {
    text += fmt::format("  {:<18}{:>8.2f} ms {:>8.1f} calls\n", part.name, part.milliseconds, part.calls);
  }
  text += "\nthe longest\n";
  for (const Part& part : kernels) {
    text += fmt::format("  {:>8.2f} ms {:>8.1f} calls  {}\n", part.milliseconds, part.calls, part.name.substr(0, 100));
  }
  return text;
}

nlohmann::ordered_json StepTiming::to_json() const {
  const auto list = [](const std::vector<Part>& all) {
    auto array = nlohmann::ordered_json::array();
    for (const Part& part : all) {
      array.push_back({{"name", part.name}, {"milliseconds", part.milliseconds}, {"calls", part.calls}});
    }
    return array;
  };
  return {{"steps_before", steps_before},
          {"steps", steps},
          {"milliseconds", seconds * 1e3},
          {"triples_per_second", triples_per_second},
          {"tokens_per_second", tokens_per_second},
          {"tokens", tokens},
          {"share_of_peak", share_of_peak},
          {"products_milliseconds", products_milliseconds},
          {"device_milliseconds", device_milliseconds},
          {"peak_bytes", peak_bytes},
          {"parts", list(parts)},
          {"kernels", list(kernels)}};
}

}  // namespace hasa
