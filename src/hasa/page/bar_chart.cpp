#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hasa/page/drawing.h"
#include "hasa/page/html.h"
#include "hasa/page/number.h"

namespace hasa {
namespace {

constexpr double kRowHeight = 36;
constexpr std::size_t kLabelCharacters = 38, kFewestLabelCharacters = 12;

double across(double share) { return kChartWidth * std::clamp(share, 0.0, 1.0); }

/// The signs of the others, numbered by their names' first mention.
using OtherNumbers = std::map<std::string, std::size_t>;

std::string whisker(const Interval& interval, double y) {
  const double low = across(interval.low), high = across(interval.high);
  return fmt::format("<path class=\"whisker\" d=\"M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}v6M{1:.1f} {3:.1f}v6\"/>",
                     low, high, y, y - 3);
}

std::string words(const Bar& bar) {
  std::string said = bar.label + ": " + format_share(bar.value);
  if (bar.interval && !bar.faint)
    said += fmt::format(" ({} to {})", format_share(bar.interval->low), format_share(bar.interval->high));
  if (!bar.note.empty()) said += ", " + bar.note;
  if (bar.faint) said += ", too few to judge";
  for (const ChartLevel& other : bar.others) said += fmt::format("; {}: {}", other.name, format_share(other.value));
  return said;
}

/// The label, cut so that the value and its note beside it have room.
std::string label_of(const Bar& bar) {
  constexpr double kWideCharacter = 7, kGap = 8;
  const std::size_t beside = format_share(bar.value).size() + (bar.note.empty() ? 0 : 2 + characters_of(bar.note));
  const double room = (kChartWidth - kGap) / kWideCharacter - static_cast<double>(beside);
  const auto most = static_cast<std::size_t>(std::max<double>(room, kFewestLabelCharacters));
  return cut_in_the_middle(bar.label, std::min(kLabelCharacters, most));
}

/// Across the bars alone: a line down the whole chart would cross the labels.
std::string levels_at(const std::vector<ChartLevel>& levels, double top) {
  std::string svg;
  for (std::size_t k = 0; k < levels.size(); ++k)
    svg += fmt::format("<path class=\"level l{}\" d=\"M{:.1f} {:.1f}v16\"/>", k % kMarkers,
                       std::clamp(across(levels[k].value), 0.7, kChartWidth - 0.7), top + 15);
  return svg;
}

std::string row(const Bar& bar, double top, const OtherNumbers& others, const std::vector<ChartLevel>& levels) {
  std::string svg = fmt::format(
      "<g class=\"mark{0}\">{1}<rect class=\"hit\" x=\"0\" y=\"{9:.0f}\" width=\"{4:.0f}\" height=\"{10:.0f}\"/>"
      "<text class=\"label\" x=\"0\" y=\"{2:.0f}\">{3}</text>"
      "<text class=\"value\" x=\"{4:.0f}\" y=\"{2:.0f}\">{5}{6}</text>"
      "<rect class=\"track\" x=\"0\" y=\"{7:.0f}\" width=\"{4:.0f}\" height=\"10\" rx=\"2\"/>"
      "<rect class=\"bar\" x=\"0\" y=\"{7:.0f}\" width=\"{8:.1f}\" height=\"10\" rx=\"2\"/>",
      bar.faint ? " faint" : "", spoken(words(bar)), top + 13, escape_html(label_of(bar)), kChartWidth,
      format_share(bar.value), bar.note.empty() ? "" : "<tspan class=\"note\">  " + escape_html(bar.note) + "</tspan>",
      top + 18, across(bar.value), top, kRowHeight);
  svg += levels_at(levels, top);
  if (bar.interval && !bar.faint) svg += whisker(*bar.interval, top + 23);
  for (const ChartLevel& other : bar.others)
    svg += fmt::format("<g class=\"other\">{}</g>", marker(others.at(other.name), across(other.value), top + 23, 4));
  return svg + "</g>\n";
}

}  // namespace

Drawing draw(const BarChart& chart) {
  OtherNumbers others;
  std::vector<LegendEntry> entries;
  for (const Bar& bar : chart.bars) {
    for (const ChartLevel& other : bar.others) {
      if (others.emplace(other.name, others.size()).second)
        entries.push_back({LegendEntry::Sign::other, others.size() - 1, other.name});
    }
  }
  for (std::size_t k = 0; k < chart.levels.size(); ++k)
    entries.push_back(
        {LegendEntry::Sign::level, k, fmt::format("{} {}", chart.levels[k].name, format_share(chart.levels[k].value))});
  Drawing drawing = draw_legend(entries);
  const double top = drawing.height;
  for (std::size_t k = 0; k < chart.bars.size(); ++k)
    drawing.body += row(chart.bars[k], top + kRowHeight * static_cast<double>(k), others, chart.levels);
  drawing.height = top + kRowHeight * static_cast<double>(chart.bars.size());
  return drawing;
}

}  // namespace hasa
