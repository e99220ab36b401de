#include <fmt/format.h>

#include <algorithm>

#include "hasa/page/drawing.h"
#include "hasa/page/html.h"
#include "hasa/page/number.h"
#include "hasa/page/scale.h"

namespace hasa {
namespace {

constexpr double kPlotHeight = 200;
constexpr double kLeft = 42, kRight = 10, kBelow = 38;
constexpr std::size_t kMostMarkersOnALine = 60;  // more would hide the line

/// Places in the drawing for values on the axes.
struct Plane {
  ChartScale x, y;
  double top;

  double at_x(double value) const { return kLeft + (kChartWidth - kLeft - kRight) * x.at(value); }
  double at_y(double value) const { return top + kPlotHeight * (1 - y.at(value)); }
  double bottom() const { return top + kPlotHeight; }
  bool shows(const ChartPoint& point) const { return x.shows(point.x) && y.shows(point.y); }
};

Plane plane_for(const XyChart& chart, double top) {
  std::vector<double> xs, ys;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      xs.push_back(point.x);
      ys.push_back(point.y);
      if (point.interval) ys.insert(ys.end(), {point.interval->low, point.interval->high});
    }
  }
  for (const ChartLevel& level : chart.levels) ys.push_back(level.value);
  return {ChartScale(chart.x, xs), ChartScale(chart.y, ys), top};
}

std::string axes(const XyChart& chart, const Plane& plane) {
  const double right = kChartWidth - kRight;
  std::string svg;
  for (const double tick : plane.y.ticks()) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text class=\"tick end\" x=\"{3:.1f}\" "
        "y=\"{4:.1f}\">{5}</text>",
        kLeft, plane.at_y(tick), right, kLeft - 5, plane.at_y(tick) + 4, format_short(tick));
  }
  for (const double tick : plane.x.ticks()) {
    svg += fmt::format(
        "<path class=\"axis\" d=\"M{0:.1f} {1:.1f}v4\"/><text class=\"tick\" x=\"{0:.1f}\" y=\"{2:.1f}\">{3}</text>",
        plane.at_x(tick), plane.bottom(), plane.bottom() + 16, format_short(tick));
  }
  svg += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, plane.bottom(), right);
  svg += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", (kLeft + right) / 2,
                     plane.bottom() + 33, escape_html(chart.x.label));
  // Above its axis and not along it: turned text is hard to read, on a phone most of all.
  return svg + fmt::format("<text class=\"legend\" x=\"0\" y=\"{:.1f}\">{}</text>\n", plane.top - 10,
                           escape_html(chart.y.label));
}

std::string said_of(const ChartSeries& series, const ChartPoint& point) {
  std::string words =
      point.note.empty() ? fmt::format("{}, {}", format_short(point.x), format_short(point.y)) : point.note;
  if (point.interval)
    words += fmt::format(" ({} to {})", format_short(point.interval->low), format_short(point.interval->high));
  return series.name.empty() ? words : series.name + ": " + words;
}

std::string band(const std::vector<const ChartPoint*>& points, const Plane& plane) {
  std::string there, back;
  for (const ChartPoint* point : points) {
    if (!point->interval) return "";
    there += fmt::format("{}{:.1f} {:.1f}", there.empty() ? "M" : "L", plane.at_x(point->x),
                         plane.at_y(point->interval->high));
    back = fmt::format("L{:.1f} {:.1f}", plane.at_x(point->x), plane.at_y(point->interval->low)) + back;
  }
  return points.size() < 2 ? "" : "<path class=\"band\" d=\"" + there + back + "z\"/>";
}

std::string whisker(const ChartPoint& point, const Plane& plane) {
  return fmt::format("<path class=\"whisker\" d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {1:.1f}h6M{3:.1f} {2:.1f}h6\"/>",
                     plane.at_x(point.x), plane.at_y(point.interval->low), plane.at_y(point.interval->high),
                     plane.at_x(point.x) - 3);
}

std::string line_through(const std::vector<const ChartPoint*>& points, const Plane& plane) {
  std::string path;
  for (const ChartPoint* point : points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", plane.at_x(point->x), plane.at_y(point->y));
  return "<path class=\"line\" d=\"" + path + "\"/>";
}

std::string draw_series(const XyChart& chart, std::size_t number, const Plane& plane) {
  const ChartSeries& series = chart.series[number];
  std::vector<const ChartPoint*> points;
  for (const ChartPoint& point : series.points) {
    if (plane.shows(point)) points.push_back(&point);
  }
  std::string svg = fmt::format("<g class=\"s{}\">", number % kMarkers);
  const std::string uncertain = chart.joined ? band(points, plane) : "";
  if (chart.joined && points.size() > 1) svg += uncertain + line_through(points, plane);
  const bool marks = !chart.joined || points.size() <= kMostMarkersOnALine;
  for (const ChartPoint* point : points) {
    if (!marks) break;
    svg += "<g class=\"mark\">" + spoken(said_of(series, *point));
    if (point->interval && uncertain.empty()) svg += whisker(*point, plane);
    svg += marker(number, plane.at_x(point->x), plane.at_y(point->y), 3) + "</g>";
  }
  return svg + "</g>\n";
}

std::string levels(const XyChart& chart, const Plane& plane) {
  std::string svg;
  for (std::size_t k = 0; k < chart.levels.size(); ++k)
    svg += fmt::format("<path class=\"level l{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", k % kMarkers, kLeft,
                       plane.at_y(chart.levels[k].value), kChartWidth - kRight);
  return svg;
}

/// Straight where both axes are of one kind; between what both of them show.
std::string diagonal(const Plane& plane) {
  const double from = std::max(plane.x.ticks().front(), plane.y.ticks().front());
  const double to = std::min(plane.x.ticks().back(), plane.y.ticks().back());
  return fmt::format("<path class=\"level l0\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", plane.at_x(from),
                     plane.at_y(from), plane.at_x(to), plane.at_y(to));
}

std::vector<LegendEntry> legend_of(const XyChart& chart) {
  std::vector<LegendEntry> entries;
  const auto sign = chart.joined ? LegendEntry::Sign::line : LegendEntry::Sign::dot;
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    if (!chart.series[k].name.empty()) entries.push_back({sign, k, chart.series[k].name});
  }
  for (std::size_t k = 0; k < chart.levels.size(); ++k)
    entries.push_back(
        {LegendEntry::Sign::level, k, fmt::format("{} {}", chart.levels[k].name, format_short(chart.levels[k].value))});
  return entries;
}

}  // namespace

Drawing draw(const XyChart& chart) {
  Drawing drawing = draw_legend(legend_of(chart));
  const Plane plane = plane_for(chart, drawing.height + 22);
  drawing.body += axes(chart, plane) + levels(chart, plane) + (chart.diagonal ? diagonal(plane) : "");
  for (std::size_t k = 0; k < chart.series.size(); ++k) drawing.body += draw_series(chart, k, plane);
  drawing.height = plane.bottom() + kBelow;
  return drawing;
}

}  // namespace hasa
