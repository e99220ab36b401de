#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hasa {

/// Counts of values up to each of some bounds, as Prometheus has them.
class MetricHistogram {
 public:
  explicit MetricHistogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}
  void add(double value);
  /// Lines `name_bucket`, `name_sum`, `name_count`; `labels` as `route="predict"`, or "".
  void write(std::string& text, std::string_view name, std::string_view labels) const;

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;  // those between a bound and the one before it; the last above them all
  double sum_ = 0;
};

/// What is read off the moment /metrics is asked.
struct MetricGauge {
  std::string_view name, help;
  double value;
  bool is_counter = false;
};

/// What the server did since it started, for GET /metrics. From any thread.
class ServeMetrics {
 public:
  void count_request(std::string_view route, int status, double seconds);
  /// Questions that were scored together; `lane` is where they waited.
  void count_batch(std::string_view lane, std::size_t questions, double seconds);
  void count_changes(std::size_t changes);

  /// The text format of Prometheus, version 0.0.4.
  std::string text(const std::vector<MetricGauge>& gauges) const;

 private:
  struct Lane {
    MetricHistogram questions, seconds;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;  // by route and status
  std::map<std::string, MetricHistogram, std::less<>> seconds_;    // by route
  std::map<std::string, Lane, std::less<>> lanes_;
  std::uint64_t changes_ = 0;
};

}  // namespace hasa
