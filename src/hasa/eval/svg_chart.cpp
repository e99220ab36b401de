#include "hasa/eval/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hasa/base/shown_text.h"
#include "hasa/base/utf8.h"
#include "hasa/eval/metrics.h"

namespace hasa {
namespace {

constexpr double kWidth = 360;
constexpr double kRowHeight = 34;
constexpr std::size_t kLabelCharacters = 38;
constexpr double kColumnsHeight = 150;

std::string opening(const ChartText& text, double height) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"{2}-t {2}-d\"><title "
      "id=\"{2}-t\">{3}</title>"
      "<desc id=\"{2}-d\">{4}</desc>\n",
      kWidth, height, escape_html(text.id), escape_html(text.title), escape_html(text.description));
}

/// x of a share of the width.
double across(double share) { return kWidth * std::clamp(share, 0.0, 1.0); }

std::string whisker(const Interval& interval, double y) {
  const double low = across(interval.low), high = across(interval.high);
  return fmt::format("<path class=\"whisker\" d=\"M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}v6M{1:.1f} {3:.1f}v6\"/>",
                     low, high, y, y - 3);
}

/// Relations are often told apart by how their names end.
std::string cut_in_the_middle(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); next_code_point(text, at)) starts.push_back(at);
  if (starts.size() <= kLabelCharacters) return text;
  const std::size_t front = kLabelCharacters / 2 - 3, back = kLabelCharacters - front - 1;
  return text.substr(0, starts[front]) + "…" + text.substr(starts[starts.size() - back]);
}

std::string short_count(std::int64_t value) {
  if (value >= (1 << 20)) return fmt::format("{}M", value >> 20);
  if (value >= 1024) return fmt::format("{}k", value >> 10);
  return std::to_string(value);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string bar_chart(const ChartText& text, const std::vector<Bar>& bars) {
  std::string svg = opening(text, kRowHeight * static_cast<double>(bars.size()));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double top = kRowHeight * static_cast<double>(i);
    svg += fmt::format(
        "<g><title>{0}: {1} ({2} to {3}), {4}</title><text class=\"label\" x=\"0\" y=\"{5:.0f}\">{6}</text>"
        "<text class=\"value\" x=\"{7:.0f}\" y=\"{5:.0f}\">{1}<tspan class=\"note\">  {4}</tspan></text>"
        "<rect class=\"track\" x=\"0\" y=\"{8:.0f}\" width=\"{7:.0f}\" height=\"10\" rx=\"2\"/>"
        "<rect class=\"bar\" x=\"0\" y=\"{8:.0f}\" width=\"{9:.1f}\" height=\"10\" rx=\"2\"/>{10}</g>\n",
        escape_html(shown(bar.label)), format_share(bar.value), format_share(bar.interval.low),
        format_share(bar.interval.high), escape_html(bar.note), top + 13,
        escape_html(cut_in_the_middle(shown(bar.label))), kWidth, top + 18, across(bar.value),
        whisker(bar.interval, top + 23));
  }
  return svg + "</svg>";
}

std::string rank_histogram_chart(const ChartText& text, const std::vector<std::int64_t>& counts) {
  std::string svg = opening(text, kColumnsHeight + 34);
  double total = 0, most = 1;
  for (const std::int64_t count : counts) {
    total += static_cast<double>(count);
    most = std::max(most, static_cast<double>(count));
  }
  const double step = kWidth / static_cast<double>(std::max<std::size_t>(1, counts.size()));
  const double width = std::min(40.0, step - 3);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double height = kColumnsHeight * static_cast<double>(counts[k]) / most;
    const double middle = step * (static_cast<double>(k) + 0.5), share = static_cast<double>(counts[k]) / total;
    const std::string percent =
        share >= 0.095 ? fmt::format("{:.0f}%", 100 * share) : fmt::format("{:.1f}", 100 * share);
    svg += fmt::format(
        "<g><title>ranks {0} to {1}: {2} queries</title>"
        "<rect class=\"bar\" x=\"{3:.1f}\" y=\"{4:.1f}\" width=\"{5:.1f}\" height=\"{6:.1f}\"/>"
        "<text class=\"tick\" x=\"{7:.1f}\" y=\"{8:.1f}\">{9}</text><text class=\"tick\" x=\"{7:.1f}\" "
        "y=\"{10:.0f}\">{11}</text></g>\n",
        std::int64_t{1} << k, (std::int64_t{2} << k) - 1, counts[k], middle - width / 2, 16 + kColumnsHeight - height,
        width, height, middle, 12 + kColumnsHeight - height, percent, kColumnsHeight + 30,
        short_count(std::int64_t{1} << k));
  }
  return svg + "</svg>";
}

}  // namespace hasa
