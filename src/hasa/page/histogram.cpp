#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hasa/page/drawing.h"
#include "hasa/page/html.h"
#include "hasa/page/number.h"

namespace hasa {
namespace {

constexpr double kColumnsHeight = 150;
constexpr double kWidest = 40;
constexpr double kLabelWidth = 24;  // of "256k", and of "12%"

std::string percent(double share) {
  if (share == 0) return "0";
  return share >= 0.095 ? fmt::format("{:.0f}%", 100 * share) : fmt::format("{:.1f}", 100 * share);
}

}  // namespace

Drawing draw(const Histogram& chart) {
  Drawing drawing{.body = {}, .height = kColumnsHeight + 36};
  std::int64_t total = 0, most = 1;
  for (const Histogram::Bucket& bucket : chart.buckets) {
    total += bucket.count;
    most = std::max(most, bucket.count);
  }
  const double step = kChartWidth / static_cast<double>(std::max<std::size_t>(1, chart.buckets.size()));
  const double width = std::min(kWidest, step - 3);
  const auto stride = static_cast<std::size_t>(std::ceil(kLabelWidth / step));  // labels that would touch are left out
  for (std::size_t k = 0; k < chart.buckets.size(); ++k) {
    const Histogram::Bucket& bucket = chart.buckets[k];
    const double height = kColumnsHeight * static_cast<double>(bucket.count) / static_cast<double>(most);
    const double middle = step * (static_cast<double>(k) + 0.5), top = 16 + kColumnsHeight - height;
    const double share = total == 0 ? 0 : static_cast<double>(bucket.count) / static_cast<double>(total);
    drawing.body += fmt::format(
        "<g class=\"mark\">{0}<rect class=\"hit\" x=\"{1:.1f}\" y=\"0\" width=\"{3:.1f}\" height=\"{8:.0f}\"/>"
        "<rect class=\"bar\" x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\"/>"
        "<text class=\"tick\" x=\"{5:.1f}\" y=\"{6:.1f}\">{7}</text>"
        "<text class=\"tick\" x=\"{5:.1f}\" y=\"{8:.0f}\">{9}</text></g>\n",
        spoken(fmt::format("{}: {} {}, {:.1f}%", bucket.name, format_whole(bucket.count), chart.counted, 100 * share)),
        middle - width / 2, top, width, height, middle, top - 4, k % stride == 0 ? percent(share) : "",
        kColumnsHeight + 30, k % stride == 0 ? escape_html(bucket.label) : "");
  }
  drawing.body += fmt::format("<path class=\"axis\" d=\"M0 {0:.1f}H{1:.0f}\"/>\n", 16 + kColumnsHeight, kChartWidth);
  return drawing;
}

}  // namespace hasa
