#include "hasa/serve/front/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hasa {
namespace {

const std::vector<double> kSeconds = {.001, .0025, .005, .01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30};
const std::vector<double> kQuestions = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

void write_about(std::string& text, std::string_view name, std::string_view kind, std::string_view help) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, kind, help);
}

}  // namespace

void MetricHistogram::add(double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  ++counts_[static_cast<std::size_t>(bucket)];
  sum_ += value;
}

void MetricHistogram::write(std::string& text, std::string_view name, std::string_view labels) const {
  const auto out = std::back_inserter(text);
  const std::string_view comma = labels.empty() ? "" : ",";
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    const std::string bound = i < bounds_.size() ? fmt::format("{:g}", bounds_[i]) : "+Inf";
    fmt::format_to(out, "{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, comma, bound, count);
  }
  const std::string braces = labels.empty() ? "" : fmt::format("{{{}}}", labels);
  fmt::format_to(out, "{0}_sum{1} {2:g}\n{0}_count{1} {3}\n", name, braces, sum_, count);
}

void ServeMetrics::count_request(std::string_view route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(route), status}];
  seconds_.try_emplace(std::string(route), kSeconds).first->second.add(seconds);
}

void ServeMetrics::count_batch(std::string_view lane, std::size_t questions, double seconds) {
  const std::lock_guard lock(mutex_);
  Lane& counted =
      lanes_.try_emplace(std::string(lane), Lane{MetricHistogram(kQuestions), MetricHistogram(kSeconds)}).first->second;
  counted.questions.add(static_cast<double>(questions));
  counted.seconds.add(seconds);
}

void ServeMetrics::count_changes(std::size_t changes) {
  const std::lock_guard lock(mutex_);
  changes_ += changes;
}

std::string ServeMetrics::text(const std::vector<MetricGauge>& gauges) const {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const MetricGauge& each : gauges) {
    write_about(text, each.name, each.is_counter ? "counter" : "gauge", each.help);
    fmt::format_to(out, "{} {}\n", each.name, each.value);
  }
  const std::lock_guard lock(mutex_);
  write_about(text, "hasa_changes_total", "counter", "Acknowledged changes of the graph.");
  fmt::format_to(out, "hasa_changes_total {}\n", changes_);
  write_about(text, "hasa_requests_total", "counter", "Requests answered, by route and status.");
  for (const auto& [key, count] : requests_) {
    fmt::format_to(out, "hasa_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first, key.second, count);
  }
  write_about(text, "hasa_request_seconds", "histogram", "From the last byte of a request to its answer.");
  for (const auto& [route, histogram] : seconds_) {
    histogram.write(text, "hasa_request_seconds", fmt::format("route=\"{}\"", route));
  }
  write_about(text, "hasa_batch_questions", "histogram", "Questions that were scored together.");
  for (const auto& [lane, of] : lanes_)
    of.questions.write(text, "hasa_batch_questions", fmt::format("lane=\"{}\"", lane));
  write_about(text, "hasa_batch_seconds", "histogram", "What scoring them took.");
  for (const auto& [lane, of] : lanes_) of.seconds.write(text, "hasa_batch_seconds", fmt::format("lane=\"{}\"", lane));
  return text;
}

}  // namespace hasa
